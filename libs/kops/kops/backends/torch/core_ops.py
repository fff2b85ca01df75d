"""Kernels of `kops.ops.core` and `kops.ops.creation`."""

from __future__ import annotations

from typing import Any

import torch

from kops.backends.kernel_tables import kernels, native
from kops.backends.torch.core import default_device, in_range


def _sized(function: Any) -> Any:
    return lambda shape, dtype: function(shape, dtype=dtype, device=default_device())


def _like(function: Any) -> Any:
    return lambda x, dtype: function(x, dtype=dtype)


def _full(shape: Any, value: Any, dtype: Any) -> Any:
    return torch.full(shape, in_range(value, dtype), dtype=dtype, device=default_device())


def _full_like(x: Any, value: Any, dtype: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return torch.full_like(x, in_range(value, dtype), dtype=dtype)
    return value.to(x.device).expand(x.shape).clone()


def _tri(shape: Any, k: int, dtype: Any) -> Any:
    # Of bools, which can be cut and then are any dtype, unsigned ones too.
    return torch.ones(tuple(shape), dtype=torch.bool, device=default_device()).tril(k).to(dtype)


def _eye(shape: Any, k: int, dtype: Any) -> Any:
    return _tri(shape, k, torch.bool).triu(k).to(dtype)


def _arange(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    wide = dtype if dtype == torch.float64 else None
    return torch.arange(start, stop, step, dtype=wide, device=default_device()).to(dtype)


TABLE = {
    **native(torch, "empty ones zeros", _sized),
    **kernels(_arange, _eye, _full, _full_like, _tri),
    "copy": torch.clone,
    "ones_like": _like(torch.ones_like),
    "view": lambda x, dtype: x.contiguous().view(dtype),
    "zeros_like": _like(torch.zeros_like),
}
