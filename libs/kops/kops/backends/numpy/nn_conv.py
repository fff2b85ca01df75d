"""Convolution kernels: taps of the window side by side, then one matrix product.

Every kernel works with channels last; another format is turned around it.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any, Sequence

import numpy as np

from kops import windows


def widened(x: Any) -> Any:
    """Sums of half precision are made in float32; the plan casts back."""
    return x.astype(np.float32) if x.dtype.itemsize < 4 else x


def pad_sizes(x: Any, pads: Sequence[tuple[int, int]], value: float = 0.0) -> Any:
    if not any(sum(p) for p in pads):
        return x
    return np.pad(x, ((0, 0), *pads, (0, 0)), constant_values=value)


def around_channels(function: Any) -> Any:
    """`function(x, ..., g)` with channels last, for whatever format is asked for."""

    @functools.wraps(function)
    def kernel(x: Any, *args: Any) -> Any:
        g = args[-1]
        if not g.channels_first:
            return function(x, *args)
        return np.moveaxis(function(np.moveaxis(x, 1, -1), *args), -1, 1)

    return kernel


def _check(x: Any, kernel: Any, depth: int, g: windows.Geometry) -> None:
    if x.ndim != kernel.ndim or windows.channels(x.shape, g) % max(depth, 1):
        raise ValueError("The kernel does not fit the input.")


@around_channels
def _conv(x: Any, kernel: Any, g: windows.Geometry) -> Any:
    x, kernel = widened(x), widened(kernel)
    window = kernel.shape[:-2]
    taken, out = kernel.shape[-2:]
    groups = x.shape[-1] // taken
    x = pad_sizes(x, windows.paddings(x.shape[1:-1], window, g))
    parts = list(windows.taps(x, window, g))
    if groups == 1:
        columns = parts[0] if len(parts) == 1 else np.concatenate(parts, -1)
        return columns @ kernel.reshape(math.prod(window) * taken, out)
    # (..., groups, taps * taken) @ (groups, taps * taken, out / groups)
    columns = np.stack([p.reshape(*p.shape[:-1], groups, taken) for p in parts], -2)
    columns = columns.reshape(*columns.shape[:-2], len(parts) * taken)
    weights = kernel.reshape(math.prod(window) * taken, groups, out // groups).swapaxes(0, 1)
    result = np.einsum("...gk,gko->...go", columns, weights, optimize=True)
    return result.reshape(*result.shape[:-2], out)


def conv(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    g = windows.geometry(x.ndim, strides, padding, data_format, dilation_rate)
    _check(x, kernel, kernel.shape[-2], g)
    return _conv(x, kernel, g)


@around_channels
def _depthwise(x: Any, kernel: Any, g: windows.Geometry) -> Any:
    x, kernel = widened(x), widened(kernel)
    window = kernel.shape[:-2]
    x = pad_sizes(x, windows.paddings(x.shape[1:-1], window, g))
    weights = kernel.reshape(math.prod(window), *kernel.shape[-2:])
    total: Any = 0
    for part, weight in zip(windows.taps(x, window, g), weights):
        total = total + part[..., None] * weight
    return total.reshape(*total.shape[:-2], weights.shape[-2] * weights.shape[-1])


def depthwise_conv(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    g = windows.geometry(x.ndim, strides, padding, data_format, dilation_rate)
    _check(x, kernel, 1, g)
    return _depthwise(x, kernel, g)


@around_channels
def _conv_transpose(x: Any, kernel: Any, crops: Any, g: windows.Geometry) -> Any:
    x, kernel = widened(x), widened(kernel)
    window = kernel.shape[:-2]
    sizes = x.shape[1:-1]
    full = [(n - 1) * s + windows.extent(w, d) if n else 0 for n, w, s, d in zip(sizes, window, g.strides, g.dilation)]
    # Room for the zeros that a negative crop appends.
    room = [f + max(-after, 0) for f, (_, after) in zip(full, crops)]
    out = np.zeros((x.shape[0], *room, kernel.shape[-2]), np.result_type(x, kernel))
    for offsets in itertools.product(*(range(w) for w in window)):
        place = tuple(
            slice(o * d, o * d + (n - 1) * s + 1, s) for o, n, s, d in zip(offsets, sizes, g.strides, g.dilation)
        )
        out[(slice(None), *place)] += x @ kernel[offsets].T
    keep = tuple(slice(before, f - after) for f, (before, after) in zip(full, crops))
    return out[(slice(None), *keep)]


def conv_transpose(
    x: Any, kernel: Any, strides: Any, padding: str, output_padding: Any, data_format: Any, dilation_rate: Any
) -> Any:
    g = windows.geometry(x.ndim, strides, padding, data_format, dilation_rate)
    _check(x, kernel, kernel.shape[-1], g)
    return _conv_transpose(x, kernel, windows.transposed_crop(kernel.shape[:-2], output_padding, g), g)


TABLE = {"conv": conv, "depthwise_conv": depthwise_conv, "conv_transpose": conv_transpose}
