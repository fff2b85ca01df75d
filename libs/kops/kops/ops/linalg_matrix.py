"""Decompositions of matrices and solvers; leading axes are batches of matrices."""

from __future__ import annotations

from typing import Any

import kops
from kops import dtypes, promote
from kops.declare import Tensor, composite, primitive
from kops.ops import linalg_unrolled
from kops.shapes import Shape, broadcast_shapes


def _matrices(x: Any, square: bool = True) -> Shape:
    shape = tuple(x.shape)
    if len(shape) < 2:
        raise ValueError(f"a matrix has at least 2 dimensions; got shape {shape}.")
    if square and None not in shape[-2:] and shape[-2] != shape[-1]:
        raise ValueError(f"matrices must be square; got shape {shape}.")
    return shape


def _same(x: Any, *static: Any, **named: Any) -> Shape:
    return _matrices(x)


@composite("linalg", dtype=promote.wide, shape=_same, checked=True)
def cholesky(x: Tensor, upper: bool = False) -> Any:
    """The triangular factor `L` with `x = L @ L.T` of symmetric positive definite matrices.

    Args:
        x: shape `(..., n, n)`.
        upper: return `L.T` instead.
    """
    return linalg_unrolled.cholesky(x, upper)


@composite("linalg", dtype=promote.wide, shape=_same, checked=True)
def cholesky_inverse(x: Tensor, upper: bool = False) -> Any:
    """The inverse of a matrix whose Cholesky factor is given.

    Args:
        x: the factor, shape `(..., n, n)`.
        upper: whether the factor is the upper triangular one.
    """
    factor = _adjoint(x) if upper else x
    identity = kops.eye(x.shape[-1], dtype=dtypes.standardize_dtype(x.dtype))  # type: ignore[attr-defined]
    inverse = solve_triangular(factor, kops.add(kops.zeros_like(factor), identity), lower=True)
    return kops.matmul(_adjoint(inverse), inverse)


def _scalar_shape(x: Any) -> Shape:
    return _matrices(x)[:-2]


@composite("linalg", dtype=promote.wide, shape=_scalar_shape, checked=True)
def det(x: Tensor) -> Any:
    """Determinants of matrices of shape `(..., n, n)`."""
    return linalg_unrolled.det(x)


@composite("numpy", dtype=promote.several("own", "real"), shape=lambda x: [_scalar_shape(x)] * 2, checked=True)
def slogdet(x: Tensor) -> Any:
    """Signs and logarithms of the absolute values of determinants: `(sign, logabsdet)`.

    Args:
        x: shape `(..., n, n)`.
    """
    return linalg_unrolled.slogdet(x)


@composite("keras.ops.logdet", dtype=promote.statistic, shape=_scalar_shape, node="math:Logdet")
def logdet(x: Tensor) -> Any:
    """Logarithms of the determinants of positive definite matrices; NaN where a determinant is negative."""
    sign, logabs = slogdet(x)
    return kops.where(kops.greater_equal(kops.real(sign), 0), logabs, float("nan"))


@primitive("linalg", dtype=promote.wide, shape=_same, checked=True)
def inv(x: Tensor) -> Any:
    """Inverses of matrices of shape `(..., n, n)`."""


def _solved(a: Any, b: Any, lower: bool = False) -> Shape:
    shape, right = _matrices(a), tuple(b.shape)
    vector = len(right) == len(shape) - 1
    if len(right) not in (len(shape), len(shape) - 1):
        raise ValueError(f"b has the dimensions of a, or one less; got shapes {shape} and {right}.")
    rows = right[-1] if vector else right[-2]
    if None not in (rows, shape[-1]) and rows != shape[-1]:
        raise ValueError(f"a has {shape[-1]} rows but b has {rows}; got shapes {shape} and {right}.")
    batch = broadcast_shapes(shape[:-2], right[: len(shape) - 2])
    return (*batch, *right[len(shape) - 2 :])


@primitive("linalg", dtype=promote.wide, shape=_solved, checked=True)
def solve(a: Tensor, b: Tensor) -> Any:
    """`x` with `a @ x = b`.

    Args:
        a: shape `(..., n, n)`.
        b: shape `(..., n, k)` or `(..., n)`.
    """


@primitive("linalg", dtype=promote.wide, shape=_solved, checked=True)
def solve_triangular(a: Tensor, b: Tensor, lower: bool = False) -> Any:
    """`x` with `a @ x = b` for triangular `a`; the other triangle is not read.

    Args:
        a: shape `(..., n, n)`.
        b: shape `(..., n, k)` or `(..., n)`.
        lower: whether `a` is lower triangular.
    """


def _lu_shapes(x: Any) -> list[Shape]:
    shape = _matrices(x, square=False)
    m, n = shape[-2:]
    return [shape, (*shape[:-2], None if m is None or n is None else min(m, n))]


@composite("linalg", dtype=promote.several("own", "int32"), shape=_lu_shapes, checked=True)
def lu_factor(x: Tensor) -> Any:
    """LU decomposition with row exchanges.

    Args:
        x: shape `(..., m, n)`.

    Returns:
        `(lu, pivots)`: `L` below the diagonal (its own is 1) and `U` on and above it in one matrix; row `i` was
        exchanged with row `pivots[i]`, counted from 0.
    """
    return linalg_unrolled.lu_factor(x)


def _qr_shapes(x: Any, mode: str = "reduced") -> list[Shape]:
    shape = _matrices(x, square=False)
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode is 'reduced' or 'complete'; got {mode!r}.")
    m, n = shape[-2:]
    k = m if mode == "complete" else None if m is None or n is None else min(m, n)
    return [(*shape[:-2], m, k), (*shape[:-2], k, n)]


@composite("linalg", dtype=promote.several("own", "own"), shape=_qr_shapes, checked=True)
def qr(x: Tensor, mode: str = "reduced") -> Any:
    """`(q, r)`: an orthogonal and an upper triangular matrix whose product is `x`.

    Args:
        x: shape `(..., m, n)`.
        mode: `"reduced"`: `k = min(m, n)` columns in `q`; `"complete"`: `m`.
    """
    return linalg_unrolled.qr(x, mode)


def _eig_dtypes(*ds: Any, **static: Any) -> Any:
    compute, _ = promote.wide(*ds)
    wide = compute in ("float64", "complex128")
    return compute, ("complex128" if wide else "complex64",) * 2


def _eig_shapes(x: Any) -> list[Shape]:
    shape = _matrices(x)
    return [shape[:-1], shape]


@primitive("linalg", dtype=_eig_dtypes, shape=_eig_shapes, checked=True)
def eig(x: Tensor) -> Any:
    """`(eigenvalues, eigenvectors)` of square matrices, both complex; the vectors are columns.

    Args:
        x: shape `(..., n, n)`.
    """


@primitive("linalg", dtype=promote.several("real", "own"), shape=_eig_shapes, checked=True)
def eigh(x: Tensor) -> Any:
    """`(eigenvalues, eigenvectors)` of symmetric matrices, ascending; the vectors are columns.

    Args:
        x: shape `(..., n, n)`; its lower triangle is read.
    """


def _svd_dtypes(d: Any, *, compute_uv: bool = True, **static: Any) -> Any:
    return promote.several("own", "real", "own")(d) if compute_uv else promote.statistic(d)


def _svd_shapes(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    shape = _matrices(x, square=False)
    m, n = shape[-2:]
    k = None if m is None or n is None else min(m, n)
    s = (*shape[:-2], k)
    if not compute_uv:
        return s
    return [(*shape[:-1], m if full_matrices else k), s, (*shape[:-2], n if full_matrices else k, n)]


@primitive("linalg", dtype=_svd_dtypes, shape=_svd_shapes, key=("compute_uv",), node="SVD", checked=True)
def svd(x: Tensor, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Singular value decomposition `x = u @ diag(s) @ vh`.

    Args:
        x: shape `(..., m, n)`.
        full_matrices: return square `u` and `vh` instead of `k = min(m, n)` columns and rows.
        compute_uv: return `(u, s, vh)`; else `s` alone.

    Returns:
        Singular values in descending order, with the factors around them.
    """


_EPS = {"float32": 2.0**-23, "float64": 2.0**-52}


def _largest(s: Any) -> Any:

    return kops.max(s, axis=-1, keepdims=True, initial=0.0)  # of an empty matrix, too


def _rank_tolerance(x: Any, s: Any, factor: float) -> Any:
    """`factor * max(m, n) * eps * max(s)`."""
    m, n = tuple(kops.shape(x))[-2:]
    dtype = dtypes.standardize_dtype(s.dtype)
    largest = kops.multiply(_largest(s), factor * _EPS[dtype])
    if m is None or n is None:  # symbolic: the value does not matter
        return largest
    if isinstance(m, int) and isinstance(n, int):
        return kops.multiply(largest, float(max(m, n)))
    return kops.multiply(largest, kops.cast(kops.maximum(m, n), dtype))


def _rank_shape(x: Any, tol: Any = None) -> Shape:
    return _matrices(x, square=False)[:-2]


@composite("linalg", dtype=lambda d, **_: (promote.wide(d)[0], "int32"), shape=_rank_shape)
def matrix_rank(x: Tensor, tol: float | None = None) -> Any:
    """Number of singular values that are larger than a tolerance; int32.

    Args:
        x: shape `(..., m, n)`.
        tol: the tolerance; by default `max(s) * max(m, n) * eps`.
    """
    s = svd(x, compute_uv=False)
    return kops.count_nonzero(kops.greater(s, _rank_tolerance(x, s, 1.0) if tol is None else tol), axis=-1)


def _check_rcond(rcond: float | None) -> None:
    if rcond is not None and not 0 <= rcond < 1:
        raise ValueError(f"rcond is a fraction of the largest singular value, from 0 to less than 1; got {rcond}.")


def _pinv_shape(x: Any, rcond: Any = None) -> Shape:
    _check_rcond(rcond)
    shape = _matrices(x, square=False)
    return (*shape[:-2], shape[-1], shape[-2])


def _inverted(x: Any, s: Any, rcond: float | None, factor: float) -> Any:
    """Reciprocals of the singular values that count, 0 for the others."""
    smallest = _rank_tolerance(x, s, factor) if rcond is None else kops.multiply(_largest(s), rcond)
    counts = kops.greater(s, smallest)
    return kops.where(counts, kops.divide(1.0, kops.where(counts, s, 1.0)), 0.0)


def _adjoint(x: Any) -> Any:

    x = kops.swapaxes(x, -1, -2)
    return kops.conjugate(x) if dtypes.standardize_dtype(x.dtype).startswith("complex") else x


@composite("linalg", dtype=promote.wide, shape=_pinv_shape, checked=True)
def pinv(x: Tensor, rcond: float | None = None) -> Any:
    """Moore-Penrose pseudo-inverse, by singular values.

    Args:
        x: shape `(..., m, n)`.
        rcond: singular values up to `rcond * max(s)` count as 0; `10 * max(m, n) * eps` by default.
    """
    u, s, vh = svd(x, full_matrices=False)
    scaled = kops.multiply(_adjoint(vh), kops.expand_dims(_inverted(x, s, rcond, 10.0), -2))
    return kops.matmul(scaled, _adjoint(u))


def _lstsq_shape(a: Any, b: Any, rcond: Any = None) -> Shape:
    _check_rcond(rcond)
    shape, right = tuple(a.shape), tuple(b.shape)
    if len(shape) != 2 or len(right) not in (1, 2):
        raise ValueError(f"a is a matrix and b a vector or matrix; got shapes {shape} and {right}.")
    if None not in (shape[0], right[0]) and shape[0] != right[0]:
        raise ValueError(f"a and b need as many rows; got shapes {shape} and {right}.")
    return (shape[1], *right[1:])


@composite("linalg", dtype=promote.wide, shape=_lstsq_shape, checked=True)
def lstsq(a: Tensor, b: Tensor, rcond: float | None = None) -> Any:
    """The `x` of least norm that minimises `norm(a @ x - b)`.

    Args:
        a: shape `(m, n)`.
        b: shape `(m,)` or `(m, k)`.
        rcond: singular values up to `rcond * max(s)` count as 0; `max(m, n) * eps` by default.
    """
    vector = len(b.shape) == 1  # type: ignore[attr-defined]
    u, s, vh = svd(a, full_matrices=False)
    right = kops.matmul(_adjoint(u), kops.expand_dims(b, 1) if vector else b)
    x = kops.matmul(_adjoint(vh), kops.multiply(kops.expand_dims(_inverted(a, s, rcond, 1.0), -1), right))
    return kops.squeeze(x, 1) if vector else x
