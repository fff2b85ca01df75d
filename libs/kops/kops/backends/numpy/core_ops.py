"""Kernels of `kops.ops.core` and `kops.ops.creation`."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.kernel_tables import kernels, native


def _full(shape: Any, value: Any, dtype: Any) -> Any:
    return np.full(shape, value, dtype)


def _eye(shape: Any, k: int, dtype: Any) -> Any:
    return np.eye(shape[0], shape[1], k, dtype)


def _tri(shape: Any, k: int, dtype: Any) -> Any:
    return np.tri(shape[0], shape[1], k, dtype)


def _arange(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    return np.arange(start, stop, step).astype(dtype)


def _full_like(x: Any, value: Any, dtype: Any) -> Any:
    return np.full_like(x, value, dtype)


def _view(x: Any, dtype: Any) -> Any:
    bits = np.ascontiguousarray(x).view(dtype)
    return bits if x.ndim else bits.reshape(())


TABLE = {
    **native(np, "copy=array empty ones ones_like zeros zeros_like"),
    **kernels(_arange, _eye, _full, _full_like, _tri, _view),
}
