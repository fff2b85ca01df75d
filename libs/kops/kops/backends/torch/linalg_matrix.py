"""Kernels of decompositions and solvers."""

from __future__ import annotations

from typing import Any

import torch

from kops.backends.kernel_tables import kernels

_la = torch.linalg


def _solve(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    if b.ndim == a.ndim - 1:
        return _la.solve(a, b.unsqueeze(-1)).squeeze(-1)
    return _la.solve(a, b)


def _solve_triangular(a: torch.Tensor, b: torch.Tensor, lower: bool) -> torch.Tensor:
    if b.ndim == a.ndim - 1:
        return _la.solve_triangular(a, b.unsqueeze(-1), upper=not lower).squeeze(-1)
    return _la.solve_triangular(a, b, upper=not lower)


def _lu_factor(x: torch.Tensor) -> Any:
    lu, pivots, _ = _la.lu_factor_ex(x)  # as the other engines, factor singular matrices, too
    return lu, pivots - 1  # LAPACK counts from 1


def _svd(x: torch.Tensor, full_matrices: bool, compute_uv: bool) -> Any:
    return tuple(_la.svd(x, full_matrices=full_matrices)) if compute_uv else _la.svdvals(x)


TABLE = {
    **kernels(_solve, _solve_triangular, _lu_factor, _svd),
    # Of the symmetric part, as on JAX: the gradient then belongs to the function that is computed.
    "cholesky": lambda x, upper: _la.cholesky((x + x.mH) * 0.5, upper=upper),
    "det": _la.det,
    "slogdet": lambda x: tuple(_la.slogdet(x)),
    "inv": _la.inv,
    "qr": lambda x, mode: tuple(_la.qr(x, mode)),
    "eig": lambda x: tuple(_la.eig(x)),
    "eigh": lambda x: tuple(_la.eigh(x)),
}
