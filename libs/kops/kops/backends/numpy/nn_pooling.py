"""Pooling kernels: a running maximum or sum over the taps of the window."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops import windows
from kops.backends.numpy.nn_conv import around_channels, pad_sizes, widened


def lowest(dtype: Any) -> Any:
    """The neutral element of `max`."""
    return -np.inf if dtype.kind not in "iub" else np.zeros((), dtype) if dtype.kind == "b" else np.iinfo(dtype).min


@around_channels
def _max(x: Any, window: Any, g: windows.Geometry) -> Any:
    x = pad_sizes(x, windows.paddings(x.shape[1:-1], window, g), lowest(x.dtype))
    parts = windows.taps(x, window, g)
    result = next(parts).copy()
    for part in parts:
        np.maximum(result, part, out=result)
    return result


@around_channels
def _sum(x: Any, window: Any, g: windows.Geometry) -> Any:
    x = pad_sizes(x, windows.paddings(x.shape[1:-1], window, g))
    parts = windows.taps(x, window, g)
    result = next(parts).copy()
    for part in parts:
        result += part
    return result


def max_pool(x: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    g, window = windows.pooling(x.ndim, pool_size, strides, padding, data_format)
    return _max(x, window, g)


def average_pool(x: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    g, window = windows.pooling(x.ndim, pool_size, strides, padding, data_format)
    x = widened(x)
    sizes = windows.spatial(x.shape, g)
    counts = _sum(np.ones(windows.assemble(1, sizes, 1, g), x.dtype), window, g)
    return _sum(x, window, g) / counts


TABLE = {"max_pool": max_pool, "average_pool": average_pool}
