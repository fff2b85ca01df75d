"""Reduction kernels."""

from __future__ import annotations

from typing import Any

import torch

from kops.backends.kernel_tables import kernels, native
from kops.backends.limit import limit
from kops.backends.torch.unsigned import UNSIGNED
from kops.shapes import standardize_axes


def axes_of(x: Any, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    return (axis,) if isinstance(axis, int) else tuple(axis)


def reducing(function: Any) -> Any:
    def kernel(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        axes = axes_of(x, axis)
        # PyTorch takes no axes for all axes.
        return function(x, dim=axes, keepdim=keepdims) if axes else function(x[None], dim=0)

    return kernel


def _var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    axes = axes_of(x, axis)
    if not axes:
        distance = x - x  # zeros, with a gradient
        return distance.real if x.is_complex() else distance
    return torch.var(x, dim=axes, keepdim=keepdims, correction=0)


def _sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    axes = axes_of(x, axis)
    if x.dtype in UNSIGNED:
        x = x.long()
    return torch.sum(x, dim=axes, keepdim=keepdims, dtype=x.dtype) if axes else x


def _prod(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    out = x = x.long() if x.dtype in UNSIGNED else x
    for i in sorted(standardize_axes(axis, x.ndim), reverse=True):
        out = torch.prod(out, dim=i, keepdim=keepdims, dtype=x.dtype)
    return out


def _extreme(reduce: Any, join: Any) -> Any:
    def kernel(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        axes = axes_of(x, axis)
        if initial is not None:
            start = torch.as_tensor(limit(initial, x), dtype=x.dtype, device=x.device)
            if not x.numel():
                shape = [1 if i in {a % x.ndim for a in axes} else d for i, d in enumerate(x.shape)]
                out = start.expand(shape)
                return out if keepdims or not axes else out.sum(dim=axes, dtype=x.dtype)
            return join(reduce(x, dim=axes, keepdim=keepdims) if axes else x, start)
        return reduce(x, dim=axes, keepdim=keepdims) if axes else x

    return kernel


def _index(function: Any) -> Any:
    def kernel(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if axis is not None:
            return function(x, dim=axis, keepdim=keepdims)
        out = function(x)
        return out.reshape((1,) * x.ndim) if keepdims else out

    return kernel


def _running(function: Any) -> Any:
    def kernel(x: Any, axis: Any = None, dtype: Any = None) -> Any:
        dtype = None if dtype is torch.bool else dtype  # there are no sums of bools in bools
        return function(x.flatten() if axis is None else x, dim=axis or 0, dtype=dtype)

    return kernel


def _bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    if sparse:
        raise NotImplementedError("sparse counts exist with the TensorFlow backend only. Use sparse=False.")
    length = max(minlength, int(x.max()) + 1 if x.numel() else 0)
    share = torch.ones((), dtype=torch.int32, device=x.device) if weights is None else weights
    share = share.long() if share.dtype in UNSIGNED else share  # scatter_add has no unsigned kernels
    zeros = torch.zeros((*x.shape[:-1], length), dtype=share.dtype, device=x.device)
    return zeros.scatter_add(-1, x.long(), share.expand(x.shape))


TABLE = {
    **native(torch, "all any mean", reducing),
    **kernels(_bincount, _prod, _sum, _var),
    "argmax": _index(torch.argmax),
    "argmin": _index(torch.argmin),
    "cumprod": _running(torch.cumprod),
    "cumsum": _running(torch.cumsum),
    "max": _extreme(torch.amax, torch.maximum),
    "min": _extreme(torch.amin, torch.minimum),
}
