"""Pooling over one to three spatial dimensions."""

from __future__ import annotations

from typing import Any

import kops
from kops import promote, windows
from kops.declare import Tensor, composite, primitive


def _pool_shape(inputs: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> windows.Shape:
    g, window = windows.pooling(len(inputs.shape), pool_size, strides, padding, data_format)
    return windows.slide(inputs.shape, window, windows.channels(inputs.shape, g), g)


@primitive("nn", dtype=promote.real(promote.common), shape=_pool_shape)
def max_pool(
    inputs: Tensor, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: Any = None
) -> Any:
    """Largest value in each window, channel by channel.

    Args:
        inputs: `(batch, *sizes, channels)`, or `(batch, channels, *sizes)` for `"channels_first"`.
        pool_size: the window, an int or one per spatial dimension.
        strides: distance between windows, default the window's size.
        padding: `"valid"` for windows inside the input only, `"same"` for `ceil(size / stride)` windows.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        `(batch, *new_sizes, channels)`, or with channels first, of the dtype of `inputs`.

    Example:

    >>> keras.ops.max_pool(np.arange(4.0).reshape(1, 4, 1), 2)[0, :, 0]
    array([1., 3.])
    """


@primitive("nn", dtype=promote.real_inexact_only, shape=_pool_shape)
def average_pool(
    inputs: Tensor, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: Any = None
) -> Any:
    """Mean of each window, channel by channel; padding does not count.

    Args:
        inputs: `(batch, *sizes, channels)`, or `(batch, channels, *sizes)` for `"channels_first"`.
        pool_size: the window, an int or one per spatial dimension.
        strides: distance between windows, default the window's size.
        padding: `"valid"` for windows inside the input only, `"same"` for `ceil(size / stride)` windows.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        `(batch, *new_sizes, channels)`, or with channels first; float.
    """


def _adaptive_shape(inputs: Any, output_size: Any, data_format: Any = None) -> windows.Shape:
    g = windows.geometry(len(inputs.shape), 1, "valid", data_format)
    sizes = windows.each(output_size, g.n, "output_size")
    if 0 in windows.spatial(inputs.shape, g):
        raise ValueError(f"there is nothing to pool in shape {tuple(inputs.shape)}.")
    return windows.assemble(inputs.shape[0], sizes, windows.channels(inputs.shape, g), g)


def _per_dimension(inputs: Any, output_size: Any, data_format: Any, reduce: Any) -> Any:
    g = windows.geometry(len(inputs.shape), 1, "valid", data_format)
    x = inputs
    for i, count in enumerate(windows.each(output_size, g.n, "output_size")):
        axis = i + (2 if g.channels_first else 1)
        size = x.shape[axis]
        if size is None:
            raise ValueError("adaptive pooling divides the spatial dimensions, which must be known.")
        bins = [(j * size // count, -(-(j + 1) * size // count)) for j in range(count)]
        # Bins get one length by repeating positions of their own.
        length = max(end - start for start, end in bins)
        places = [[min(start + j, end - 1) for j in range(length)] for start, end in bins]
        counted = [[float(start + j < end) / (end - start) for j in range(length)] for start, end in bins]
        taken = kops.take(x, places, axis=axis)
        x = reduce(taken, axis + 1, counted)
    return x


@composite("nn", dtype=promote.real(promote.common), shape=_adaptive_shape)
def adaptive_max_pool(inputs: Tensor, output_size: Any, data_format: Any = None) -> Any:
    """Max pooling into a given number of bins, bin `i` from `floor(i n / m)` to `ceil((i + 1) n / m)`.

    Args:
        inputs: `(batch, *sizes, channels)`, or with channels first; the sizes must be known.
        output_size: number of bins, an int or one per spatial dimension.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        `(batch, *output_size, channels)`, or with channels first.
    """
    return _per_dimension(inputs, output_size, data_format, lambda x, axis, counted: kops.max(x, axis=axis))


@composite("nn", dtype=promote.real_inexact_only, shape=_adaptive_shape)
def adaptive_average_pool(inputs: Tensor, output_size: Any, data_format: Any = None) -> Any:
    """Average pooling into a given number of bins, bin `i` from `floor(i n / m)` to `ceil((i + 1) n / m)`.

    Args:
        inputs: `(batch, *sizes, channels)`, or with channels first; the sizes must be known.
        output_size: number of bins, an int or one per spatial dimension.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        `(batch, *output_size, channels)`, or with channels first.
    """

    def mean(x: Any, axis: int, counted: Any) -> Any:
        trailing = [1] * (len(x.shape) - axis - 1)
        weights = kops.reshape(kops.convert_to_tensor(counted, x.dtype), [len(counted), -1, *trailing])
        return kops.sum(x * weights, axis=axis)

    return _per_dimension(inputs, output_size, data_format, mean)
