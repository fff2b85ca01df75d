"""Kernels that order elements."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from kops.backends.kernel_tables import native


def _argpartition(x: Any, kth: int, axis: Any) -> Any:
    # argpartition negates, which bools cannot.
    return jnp.argpartition(x.astype("int32") if x.dtype == bool else x, kth, axis)


def _top_k(x: Any, k: int, sorted: bool) -> tuple[Any, Any]:
    return tuple(lax.top_k(x, k))


TABLE = {**native(jnp, "sort argsort searchsorted"), "argpartition": _argpartition, "top_k": _top_k}
