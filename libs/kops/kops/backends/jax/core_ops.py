"""Kernels of `kops.ops.core` and `kops.ops.creation`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from kops.backends.kernel_tables import kernels, native


def _eye(shape: Any, k: int, dtype: Any) -> Any:
    return jnp.eye(shape[0], shape[1], k, dtype)


def _tri(shape: Any, k: int, dtype: Any) -> Any:
    return jnp.tri(shape[0], shape[1], k, dtype)


def _arange(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    return jnp.arange(start, stop, step).astype(dtype)


def _copy(x: Any) -> Any:
    return jnp.array(x, copy=True)


TABLE = {
    **native(jnp, "empty=zeros full full_like ones ones_like zeros zeros_like"),
    **kernels(_arange, _copy, _eye, _tri),
    "view": lambda x, dtype: x.view(dtype),
}
