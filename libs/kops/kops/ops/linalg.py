"""Products of vectors, matrices and tensors. (Decompositions and solvers: `linalg_matrix`; norms: `linalg_norm`.)"""

from __future__ import annotations

from typing import Any

import kops
from kops import promote
from kops.declare import Tensor, Tensors, composite, primitive
from kops.dims import as_tuple, ints
from kops.einsum_shapes import contracted, einsum_shape
from kops.shapes import Shape, broadcast_shapes, product, standardize_axis


def _accumulated(*ds: Any, **static: Any) -> Any:
    """Promoted; int8 times int8 accumulates in int32, as quantized layers need."""
    dtype = promote.common(*ds)[0]
    return dtype, "int32" if dtype == "int8" else dtype


def _matmul_shape(x1: Any, x2: Any) -> Shape:
    a, b = tuple(x1.shape), tuple(x2.shape)
    if not a or not b:
        raise ValueError(f"matmul needs at least one dimension; got shapes {a} and {b}. Use multiply for scalars.")
    inner1, inner2 = a[-1], b[-2] if len(b) > 1 else b[0]
    if None not in (inner1, inner2) and inner1 != inner2:
        raise ValueError(
            f"shapes {a} and {b} do not multiply: the last axis of the first ({inner1}) must be as long as the "
            f"{'last but one' if len(b) > 1 else 'only'} axis of the second ({inner2})."
        )
    batch = broadcast_shapes(a[:-2], b[:-2])
    return (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


@primitive("numpy", dtype=_accumulated, shape=_matmul_shape)
def matmul(x1: Tensor, x2: Tensor) -> Any:
    """Matrix product; leading axes broadcast.

    Args:
        x1: shape `(..., n, k)` or `(k,)`.
        x2: shape `(..., k, m)` or `(k,)`.

    Returns:
        Shape `(..., n, m)`, without the axis that a vector lacks. int8 with int8 gives int32.

    Raises:
        ValueError: when the inner lengths differ.
    """


def _dot_shape(x1: Any, x2: Any) -> Shape:
    a, b = tuple(x1.shape), tuple(x2.shape)
    if not a or not b:
        return a or b
    i = len(b) - 2 if len(b) > 1 else 0
    return contracted(a, b, (len(a) - 1,), (i,))


@composite("numpy", dtype=promote.common, shape=_dot_shape)
def dot(x1: Tensor, x2: Tensor) -> Any:
    """Sum of products over the last axis of `x1` and the last but one (or only) axis of `x2`.

    Args:
        x1, x2: tensors; a scalar multiplies.
    """
    n1, n2 = len(x1.shape), len(x2.shape)  # type: ignore[attr-defined]
    if not n1 or not n2:
        return kops.multiply(x1, x2)
    return tensordot(x1, x2, axes=((n1 - 1,), (n2 - 2 if n2 > 1 else 0,)))


def _inner_shape(x1: Any, x2: Any) -> Shape:
    a, b = tuple(x1.shape), tuple(x2.shape)
    return contracted(a, b, (len(a) - 1,), (len(b) - 1,)) if a and b else a or b


@composite("numpy", dtype=promote.common, shape=_inner_shape)
def inner(x1: Tensor, x2: Tensor) -> Any:
    """Sum of products over the last axes of both."""
    if not (len(x1.shape) and len(x2.shape)):  # type: ignore[attr-defined]
        return kops.multiply(x1, x2)
    return tensordot(x1, x2, axes=((-1,), (-1,)))


@composite("numpy", dtype=promote.common)
def outer(x1: Tensor, x2: Tensor) -> Any:
    """Every product of an element of `x1` with one of `x2`; both are flattened first."""
    return kops.multiply(kops.reshape(x1, (-1, 1)), kops.reshape(x2, (1, -1)))


def _vdot_shape(x1: Any, x2: Any) -> Shape:
    a, b = product(x1.shape), product(x2.shape)
    if None not in (a, b) and a != b:
        raise ValueError(f"vdot needs as many elements in both; shapes {x1.shape} and {x2.shape} have {a} and {b}.")
    return ()


@composite("numpy", dtype=promote.common, shape=_vdot_shape)
def vdot(x1: Tensor, x2: Tensor) -> Any:
    """Dot product of both tensors flattened; of complex `x1` the conjugate."""
    if kops.standardize_dtype(x1.dtype).startswith("complex"):  # type: ignore[attr-defined]
        x1 = kops.conjugate(x1)
    return tensordot(kops.reshape(x1, (-1,)), kops.reshape(x2, (-1,)), axes=1)


def contraction(axes: Any, n1: int, n2: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """`axes` of tensordot as two tuples of non-negative axes."""
    if isinstance(axes, int):
        if not 0 <= axes <= min(n1, n2):
            raise ValueError(f"axes={axes} needs that many dimensions in both tensors, which have {n1} and {n2}.")
        return tuple(range(n1 - axes, n1)), tuple(range(axes))
    pairs = [ints(a, "axes") for a in as_tuple(axes)]
    if len(pairs) != 2 or len(pairs[0]) != len(pairs[1]):
        raise ValueError(f"axes are as many of the one tensor as of the other, or how many; got {axes!r}.")
    return tuple(standardize_axis(a, n1) for a in pairs[0]), tuple(standardize_axis(a, n2) for a in pairs[1])


def _tensordot_shape(x1: Any, x2: Any, axes: Any = 2) -> Shape:
    a, b = tuple(x1.shape), tuple(x2.shape)
    return contracted(a, b, *contraction(axes, len(a), len(b)))


@primitive("numpy", dtype=promote.common, shape=_tensordot_shape, checked=True)
def tensordot(x1: Tensor, x2: Tensor, axes: Any = 2) -> Any:
    """Sum of products over pairs of axes; the others follow one another, first those of `x1`.

    Args:
        x1, x2: tensors.
        axes: an int: the last axes of `x1` with the first of `x2`; or two lists of axes.

    Example:
        >>> tensordot(ones((2, 3, 4)), ones((4, 3, 5)), axes=((1, 2), (1, 0))).shape
        (2, 5)
    """


@primitive(
    "numpy",
    dtype=_accumulated,
    shape=lambda subscripts, *operands, **kwargs: einsum_shape(subscripts, [tuple(x.shape) for x in operands]),
    checked=True,
)
def einsum(subscripts: str, *operands: Tensors, **kwargs: Any) -> Any:
    """Sum of products by Einstein's convention.

    Args:
        subscripts: a letter for each axis, as in `"bij,bjk->bik"`; `...` stands for axes that broadcast. Letters that
            are not right of `->` are summed; without `->` those that stand twice.
        *operands: tensors.
        **kwargs: accepted for compatibility (`optimize`).

    Example:
        >>> einsum("...ij,...jk->...ik", ones((7, 2, 3)), ones((3, 4))).shape
        (7, 2, 4)
    """


@composite("numpy", dtype=promote.common)
def kron(x1: Tensor, x2: Tensor) -> Any:
    """Kronecker product: each element of `x1` replaced by its multiple of `x2`.

    Example:
        >>> kron([1, 10], [1, 2])
        [1, 2, 10, 20]
    """
    from kops.ops.core import shape as shape_of

    n = max(len(x1.shape), len(x2.shape))  # type: ignore[attr-defined]
    a, b = ((1,) * (n - len(x.shape)) + tuple(shape_of(x)) for x in (x1, x2))  # type: ignore[attr-defined]
    # TensorFlow multiplies no more than 5 axes that take turns.
    products = kops.reshape(kops.multiply(kops.reshape(x1, (-1, 1)), kops.reshape(x2, (1, -1))), (*a, *b))
    products = kops.transpose(products, [axis for i in range(n) for axis in (i, n + i)])
    return kops.reshape(products, [product(pair) for pair in zip(a, b)])


def _cross_shape(x1: Any, x2: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Shape:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = list(x1.shape), list(x2.shape)
    la, lb = (s.pop(standardize_axis(ax, len(s))) for s, ax in ((a, axisa), (b, axisb)))
    if la not in (2, 3, None) or lb not in (2, 3, None):
        raise ValueError(f"vectors have 2 or 3 components; those of x1 and x2 have {la} and {lb}.")
    shape = list(broadcast_shapes(a, b))
    if la != 2 or lb != 2:
        shape.insert(standardize_axis(axisc, len(shape) + 1), 3)
    return tuple(shape)


@composite("numpy", dtype=promote.common, shape=_cross_shape, checked=True)
def cross(x1: Tensor, x2: Tensor, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """Vector product of vectors with 2 or 3 components; of two plane vectors its third component alone.

    Args:
        x1, x2: tensors whose other axes broadcast.
        axisa, axisb: where the components lie in `x1` and `x2`.
        axisc: where they lie in the result.
        axis: all three at once.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    # Where the number of components is not known it is taken to be 3.
    a, b = (kops.unstack(x, num=x.shape[ax] or 3, axis=ax) for x, ax in ((x1, axisa), (x2, axisb)))

    def minor(i: int, j: int) -> Any:
        return kops.subtract(kops.multiply(a[i], b[j]), kops.multiply(a[j], b[i]))

    if len(a) == 2 and len(b) == 2:
        return minor(0, 1)
    if len(a) == 2:
        parts = [kops.multiply(a[1], b[2]), kops.negative(kops.multiply(a[0], b[2])), minor(0, 1)]
    elif len(b) == 2:
        parts = [kops.negative(kops.multiply(a[2], b[1])), kops.multiply(a[2], b[0]), minor(0, 1)]
    else:
        parts = [minor(1, 2), minor(2, 0), minor(0, 1)]
    return kops.stack(parts, axis=axisc)


def _correlate_shape(x1: Any, x2: Any, mode: str = "valid") -> Shape:
    if len(x1.shape) != 1 or len(x2.shape) != 1:
        raise ValueError(f"correlate needs vectors; got shapes {x1.shape} and {x2.shape}.")
    if mode not in ("valid", "same", "full"):
        raise ValueError(f"mode is 'valid', 'same' or 'full'; got {mode!r}.")
    n, m = x1.shape[0], x2.shape[0]
    if 0 in (n, m):
        raise ValueError("correlate needs vectors that are not empty.")
    if n is None or m is None:
        return (None,)
    return ({"valid": abs(n - m) + 1, "same": max(n, m), "full": n + m - 1}[mode],)


@composite("numpy", dtype=promote.inexact, shape=_correlate_shape, checked=True)
def correlate(x1: Tensor, x2: Tensor, mode: str = "valid") -> Any:
    """Cross-correlation of two vectors: `c[k] = sum_n x1[n + k] * conj(x2[n])`.

    Args:
        x1, x2: shapes `(n,)` and `(m,)`.
        mode: `"full"`: all overlaps, `n + m - 1`; `"same"`: the middle `max(n, m)`; `"valid"`: complete overlaps.
    """
    n, m = kops.shape(x1)[0], kops.shape(x2)[0]
    edge = kops.zeros_like(x2)[1:]
    padded = kops.concatenate([edge, x1, edge])
    if isinstance(m, int):
        parts = kops.extract_sequences(padded, m, 1)
    else:
        parts = kops.take(padded, kops.expand_dims(kops.arange(n + m - 1), 1) + kops.arange(m))
    whole = kops.matmul(parts, kops.conjugate(x2))
    if mode == "full":
        return whole
    least, most = (min, max) if isinstance(n, int) and isinstance(m, int) else (kops.minimum, kops.maximum)
    start = least(n, m) - 1 if mode == "valid" else least(n, m - 1) // 2
    end = most(n, m) if mode == "valid" else start + most(n, m)
    return whole[start:end] if isinstance(end, int) else kops.take(whole, kops.arange(start, end))


def _vander_shape(x: Any, N: int | None = None, increasing: bool = False) -> Shape:
    if len(x.shape) != 1:
        raise ValueError(f"vander needs a vector; got shape {x.shape}.")
    if N is not None and N < 0:
        raise ValueError(f"N is the number of columns; got {N}.")
    return (x.shape[0], x.shape[0] if N is None else N)


@composite("numpy", dtype=promote.first, shape=_vander_shape, checked=True)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Any:
    """Vandermonde matrix: the columns are powers of `x`.

    Args:
        x: shape `(n,)`.
        N: number of columns, `n` by default.
        increasing: powers from 0 upwards instead of down to 0.

    Example:
        >>> vander([2, 3], 3)
        [[4, 2, 1], [9, 3, 1]]
    """
    powers = kops.arange(kops.shape(x)[0] if N is None else N)
    return kops.power(kops.expand_dims(x, 1), powers if increasing else kops.flip(powers))
