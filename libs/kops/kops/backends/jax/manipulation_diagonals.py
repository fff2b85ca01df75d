"""Kernels of diagonals and triangles."""

from __future__ import annotations

import jax.numpy as jnp

TABLE = {"diagonal": jnp.diagonal, "diag": jnp.diag, "tril": jnp.tril, "triu": jnp.triu}
