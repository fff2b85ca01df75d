"""Kernels of `kops.ops.core` and `kops.ops.creation`."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.kernel_tables import kernels, native
from kops.backends.numpy.core import native_dtype
from kops.declare import OPS
from kops.dtypes import standardize_dtype


def _full(shape: Any, value: Any, dtype: Any) -> Any:
    return np.full(shape, value, dtype)


def _eye(shape: Any, k: int, dtype: Any) -> Any:
    return np.eye(shape[0], shape[1], k, dtype)


def _tri(shape: Any, k: int, dtype: Any) -> Any:
    return np.tri(shape[0], shape[1], k, dtype)


def _arange(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    whole = (
        dtype.kind == "i" and dtype.itemsize > 2 and all(v is None or isinstance(v, int) for v in (start, stop, step))
    )
    made: Any = np.arange
    return made(start, stop, step, dtype) if whole else made(start, stop, step).astype(dtype)


def _full_like(x: Any, value: Any, dtype: Any) -> Any:
    return np.full_like(x, value, dtype)


def _view(x: Any, dtype: Any) -> Any:
    bits = np.ascontiguousarray(x).view(dtype)
    return bits if x.ndim else bits.reshape(())


def _linspace(start: Any, stop: Any, num: int, endpoint: bool, retstep: bool, dtype: Any, axis: int) -> Any:
    OPS["linspace"].shape_rule(start, stop, num, endpoint, retstep, dtype, axis)
    dtype = start.dtype if dtype is None else native_dtype(standardize_dtype(dtype))
    made = np.linspace(start, stop, num, endpoint, retstep, dtype, axis)  # type: ignore[call-overload]
    return [made[0], np.asarray(made[1], start.dtype) + 0 * start] if retstep else made  # a lone NaN of few numbers


TABLE = {
    **native(np, "copy=array empty empty_like ones ones_like zeros zeros_like"),
    **kernels(_arange, _eye, _full, _full_like, _linspace, _tri, _view),
}
