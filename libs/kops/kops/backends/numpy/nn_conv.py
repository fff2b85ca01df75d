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
from kops.backends.kernel_tables import kernels
from kops.backends.numpy.manipulation import surrounded


def widened(x: Any) -> Any:
    """Sums of half precision are made in float32; the plan casts back."""
    return x.astype(np.float32) if x.dtype.itemsize < 4 else x


def pad_sizes(x: Any, pads: Sequence[tuple[int, int]], value: float = 0.0) -> Any:
    if not any(sum(p) for p in pads):
        return x
    return surrounded(x, ((0, 0), *pads, (0, 0)), value)


def around_channels(function: Any) -> Any:
    """`function(x, ..., g)` with channels last, for whatever format is asked for."""

    @functools.wraps(function)
    def kernel(x: Any, *args: Any) -> Any:
        g = args[-1]
        if not g.channels_first:
            return function(x, *args)
        return np.moveaxis(function(np.moveaxis(x, 1, -1), *args), -1, 1)

    return kernel


_CACHED = 1 << 17  # numbers that stay in the processor's cache between their making and their use


def _in_pieces(product: Any, x: Any, kernel: Any, depth: int, per_position: int, g: windows.Geometry) -> Any:
    """`product(x, kernel, g)` of padded images, some rows of some of them at a time.

    Args:
        depth: channels of the result.
        per_position: how many numbers lie between input and result, for each position of the window.
    """
    window = kernel.shape[:-2]
    geometry = zip(x.shape[1:-1], window, g.strides, g.dilation)
    counts = [(size - windows.extent(w, d)) // s + 1 for size, w, s, d in geometry]
    row = max(math.prod(counts[1:]) * per_position, 1)
    rows = max(min(_CACHED // row, counts[0]), 1)
    images = max(_CACHED // (row * rows), 1)
    if images >= len(x) and rows == counts[0]:
        return product(x, kernel, g)
    stride, reach = g.strides[0], windows.extent(window[0], g.dilation[0])
    result = np.empty((len(x), *counts, depth), np.result_type(x, kernel))
    for n in range(0, len(x), images):
        for r in range(0, counts[0], rows):
            m = min(rows, counts[0] - r)
            piece = x[n : n + images, r * stride : (r + m - 1) * stride + reach]
            result[n : n + images, r : r + m] = product(piece, kernel, g)
    return result


def _columns(x: Any, window: Any, g: windows.Geometry) -> Any:
    """What the window sees, `(batch, *positions, *window, channels)`, without a copy."""
    batch, *steps, channel = x.strides
    geometry = zip(x.shape[1:-1], window, g.strides, g.dilation)
    counts = [(size - windows.extent(w, d)) // s + 1 for size, w, s, d in geometry]
    along = [step * s for step, s in zip(steps, g.strides)]
    inside = [step * d for step, d in zip(steps, g.dilation)]
    shape = (len(x), *counts, *window, x.shape[-1])
    return np.lib.stride_tricks.as_strided(x, shape, (batch, *along, *inside, channel), writeable=False)


def _product(x: Any, kernel: Any, g: windows.Geometry) -> Any:
    *window, taken, out = kernel.shape
    groups = x.shape[-1] // taken
    terms = math.prod(window) * taken
    columns = _columns(x, window, g)
    places = columns.shape[: 1 + g.n]
    if groups == 1:
        return columns.reshape(*places, terms) @ kernel.reshape(terms, out)
    # (..., groups, taps * taken) @ (groups, taps * taken, out / groups)
    columns = np.moveaxis(columns.reshape(*places, -1, groups, taken), -2, -3).reshape(*places, groups, terms)
    weights = kernel.reshape(terms, groups, out // groups).swapaxes(0, 1)
    return np.einsum("...gk,gko->...go", columns, weights, optimize=True).reshape(*places, out)


@around_channels
def _conv(x: Any, kernel: Any, g: windows.Geometry) -> Any:
    x, kernel = widened(x), widened(kernel)
    *window, _, out = kernel.shape
    x = pad_sizes(x, windows.paddings(x.shape[1:-1], window, g))
    return _in_pieces(_product, x, kernel, out, (math.prod(window) - 1) * x.shape[-1], g)


def conv(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    g = windows.geometry(x.ndim, strides, padding, data_format, dilation_rate)
    windows.check_kernel(x, kernel, kernel.shape[-2], g)
    return _conv(x, kernel, g)


def _sum_of_taps(x: Any, kernel: Any, g: windows.Geometry) -> Any:
    window = kernel.shape[:-2]
    total: Any = 0
    for part, weight in zip(windows.taps(x, window, g), kernel.reshape(-1, *kernel.shape[-2:])):
        total = total + part[..., None] * weight
    return total.reshape(*total.shape[:-2], -1)


@around_channels
def _depthwise(x: Any, kernel: Any, g: windows.Geometry) -> Any:
    x, kernel = widened(x), widened(kernel)
    x = pad_sizes(x, windows.paddings(x.shape[1:-1], kernel.shape[:-2], g))
    depth = kernel.shape[-2] * kernel.shape[-1]
    return _in_pieces(_sum_of_taps, x, kernel, depth, 3 * depth, g)


def depthwise_conv(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    g = windows.geometry(x.ndim, strides, padding, data_format, dilation_rate)
    windows.check_kernel(x, kernel, 1, g)
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
    windows.check_kernel(x, kernel, kernel.shape[-1], g)
    return _conv_transpose(x, kernel, windows.transposed_crop(kernel.shape[:-2], output_padding, g), g)


TABLE = kernels(conv, depthwise_conv, conv_transpose)
