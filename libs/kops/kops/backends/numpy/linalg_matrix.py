"""Kernels of decompositions and solvers."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.kernel_tables import kernels


def _cholesky(x: Any, upper: bool) -> Any:
    factor = np.linalg.cholesky(x)
    return np.swapaxes(factor, -1, -2).conj() if upper else factor


def _solve(a: Any, b: Any) -> Any:
    if b.ndim == a.ndim - 1:
        return np.linalg.solve(a, b[..., None])[..., 0]
    return np.linalg.solve(a, b)


_BLOCK = 64  # rows that are solved as if the matrix were full


def _solve_triangular(a: Any, b: Any, lower: bool) -> Any:
    if b.ndim == a.ndim - 1:
        return _solve_triangular(a, b[..., None], lower)[..., 0]
    n = a.shape[-1]
    if n <= _BLOCK:
        return np.linalg.solve(np.tril(a) if lower else np.triu(a), b)
    # Half of the unknowns, then the other half of what they leave: products do most of the work.
    first, last = slice(None, n // 2), slice(n // 2, None)
    known, rest = (first, last) if lower else (last, first)
    x = _solve_triangular(a[..., known, known], b[..., known, :], lower)
    y = _solve_triangular(a[..., rest, rest], b[..., rest, :] - a[..., rest, known] @ x, lower)
    return np.concatenate((x, y) if lower else (y, x), -2)


def _lu_factor(x: Any) -> Any:
    """Gaussian elimination with partial pivoting, all matrices of the batch at once."""
    m, n = x.shape[-2:]
    lu = x.reshape(int(np.prod(x.shape[:-2])), m, n).copy()
    every = np.arange(lu.shape[0])
    pivots = np.empty((lu.shape[0], min(m, n)), np.int32)
    for i in range(min(m, n)):
        row = i + np.argmax(np.abs(lu[:, i:, i]), axis=1)
        pivots[:, i] = row
        kept = lu[every, i].copy()
        lu[every, i] = lu[every, row]
        lu[every, row] = kept
        pivot = lu[:, i, i, None]
        # A column of zeros: the matrix is singular, nothing is left to eliminate.
        factors = np.divide(lu[:, i + 1 :, i], pivot, where=pivot != 0, out=np.zeros_like(lu[:, i + 1 :, i]))
        lu[:, i + 1 :, i] = factors
        lu[:, i + 1 :, i + 1 :] -= factors[:, :, None] * lu[:, i, None, i + 1 :]
    return lu.reshape(x.shape), pivots.reshape(*x.shape[:-2], min(m, n))


def _svd(x: Any, full_matrices: bool, compute_uv: bool) -> Any:
    if not compute_uv:
        return np.linalg.svd(x, compute_uv=False)
    return tuple(np.linalg.svd(x, full_matrices=full_matrices))


TABLE = {
    **kernels(_cholesky, _solve, _solve_triangular, _lu_factor, _svd),
    "det": np.linalg.det,
    "slogdet": lambda x: tuple(np.linalg.slogdet(x)),
    "inv": np.linalg.inv,
    "qr": lambda x, mode: tuple(np.linalg.qr(x, mode)),
    "eig": lambda x: tuple(y + 0j for y in np.linalg.eig(x)),  # real where no eigenvalue is complex
    "eigh": lambda x: tuple(np.linalg.eigh(x)),
}
