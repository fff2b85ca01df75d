"""Pooling kernels; like convolutions they run on channels-last inputs viewed with channels first."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from kops import windows
from kops.backends.torch.nn_conv import from_first, split_pads, to_first

_MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
_AVERAGE = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}


def max_pool(x: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    g, window = windows.pooling(x.ndim, pool_size, strides, padding, data_format)
    dtype = x.dtype
    # There is no kernel for bools, nor for ints on every device.
    wide = x if dtype.is_floating_point else x.to(torch.float64)
    first = to_first(wide, g)
    first, pads = split_pads(first, windows.paddings(first.shape[2:], window, g), -float("inf"))
    return from_first(_MAX[g.n](first, window, g.strides, pads), g).to(dtype)


def average_pool(x: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    g, window = windows.pooling(x.ndim, pool_size, strides, padding, data_format)
    # Three dimensions have no kernel for half precision on the CPU.
    first = to_first(x if g.n < 3 or x.dtype.itemsize > 2 else x.float(), g)
    pads = windows.paddings(first.shape[2:], window, g)
    padded, own = split_pads(first, pads)
    if padded is first:
        return from_first(_AVERAGE[g.n](first, window, g.strides, own, count_include_pad=False), g).to(x.dtype)
    # Unequal padding: the mean with the padding counted, corrected by the share that is not padding.
    ones, _ = split_pads(first.new_ones((1, 1, *first.shape[2:])), pads)
    mean, share = (_AVERAGE[g.n](v, window, g.strides) for v in (padded, ones))
    return from_first(mean / share, g).to(x.dtype)


TABLE = {"max_pool": max_pool, "average_pool": average_pool}
