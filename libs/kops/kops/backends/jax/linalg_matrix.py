"""Kernels of decompositions and solvers."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax


def _vectors(solver: Any) -> Any:
    """A solver of matrices that takes vectors, too."""

    def solve(a: Any, b: Any, *static: Any) -> Any:
        if b.ndim == a.ndim - 1:
            return solver(a, b[..., None], *static)[..., 0]
        return solver(a, b, *static)

    return solve


def _solve_triangular(a: Any, b: Any, lower: bool) -> Any:
    batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = jnp.broadcast_to(a, batch + a.shape[-2:]), jnp.broadcast_to(b, batch + b.shape[-2:])
    return lax.linalg.triangular_solve(a, b, left_side=True, lower=lower)


def _svd(x: Any, full_matrices: bool, compute_uv: bool) -> Any:
    out = jnp.linalg.svd(x, full_matrices=full_matrices, compute_uv=compute_uv)
    return tuple(out) if compute_uv else out


TABLE = {
    "cholesky": lambda x, upper: jnp.linalg.cholesky(x, upper=upper),
    "det": jnp.linalg.det,
    "slogdet": lambda x: tuple(jnp.linalg.slogdet(x)),
    "inv": jnp.linalg.inv,
    "solve": _vectors(jnp.linalg.solve),
    "solve_triangular": _vectors(_solve_triangular),
    "lu_factor": lambda x: tuple(lax.linalg.lu(x)[:2]),
    "qr": lambda x, mode: tuple(jnp.linalg.qr(x, mode)),
    "eig": lambda x: tuple(jnp.linalg.eig(x)),
    "eigh": lambda x: tuple(jnp.linalg.eigh(x, symmetrize_input=False)),
    "svd": _svd,
}
