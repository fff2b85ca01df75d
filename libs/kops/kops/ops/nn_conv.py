"""Convolutions over one to three spatial dimensions.

Kernels have the layout `(*window, input channels, output channels)` whatever the data format.
"""

from __future__ import annotations

from typing import Any

from kops import promote, windows
from kops.declare import Tensor, composite, primitive


def _geometry(
    inputs: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any
) -> tuple[windows.Geometry, tuple[int, ...], int | None]:
    """With the window, and the number of input channels."""
    g = windows.geometry(len(inputs.shape), strides, padding, data_format, dilation_rate)
    if len(kernel.shape) != len(inputs.shape):
        raise ValueError(
            f"kernel of shape {tuple(kernel.shape)} must have as many dimensions as the input "
            f"of shape {tuple(inputs.shape)}: its window, input and output channels."
        )
    return g, tuple(kernel.shape[:-2]), windows.channels(inputs.shape, g)


def _conv_shape(
    inputs: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any
) -> windows.Shape:
    g, window, depth = _geometry(inputs, kernel, strides, padding, data_format, dilation_rate)
    taken, out = kernel.shape[-2:]
    known = depth is not None and taken is not None
    if known and (not depth or not taken or depth % taken):
        raise ValueError(
            f"the input has {depth} channels, the kernel of shape {tuple(kernel.shape)} takes {taken} per group: "
            "the one must be a multiple of the other."
        )
    if known and out is not None and out % (depth // taken):
        raise ValueError(f"{out} output channels cannot be divided among {depth // taken} groups.")
    return windows.slide(inputs.shape, window, out, g)


@primitive("nn", dtype=promote.inexact, shape=_conv_shape)
def conv(
    inputs: Tensor,
    kernel: Tensor,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Convolution (without flipping the kernel, as usual in this field), in groups if the kernel has fewer channels.

    Args:
        inputs: `(batch, *sizes, channels)`, or `(batch, channels, *sizes)` for `"channels_first"`, with one to three
            spatial dimensions.
        kernel: `(*window, channels / groups, filters)`.
        strides: an int, or one per spatial dimension.
        padding: `"valid"` for none, `"same"` for `ceil(size / stride)` outputs.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.
        dilation_rate: distance between the kernel's taps, an int or one per spatial dimension.

    Returns:
        `(batch, *new_sizes, filters)`, or with channels first.

    Raises:
        ValueError: for shapes that do not fit, or a window larger than an unpadded input.

    Example:

    >>> keras.ops.conv(np.ones((1, 5, 5, 3)), np.ones((3, 3, 3, 8))).shape
    (1, 3, 3, 8)
    """


def _depthwise_shape(
    inputs: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any
) -> windows.Shape:
    g, window, depth = _geometry(inputs, kernel, strides, padding, data_format, dilation_rate)
    taken, multiplier = kernel.shape[-2:]
    if None not in (depth, taken) and depth != taken:
        raise ValueError(f"the input has {depth} channels, the kernel is for {taken}.")
    out = None if taken is None or multiplier is None else taken * multiplier
    return windows.slide(inputs.shape, window, out, g)


@primitive("nn", dtype=promote.inexact, shape=_depthwise_shape)
def depthwise_conv(
    inputs: Tensor,
    kernel: Tensor,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Convolution of every channel by itself, with `multiplier` kernels each.

    Args:
        inputs: `(batch, *sizes, channels)`, or with channels first.
        kernel: `(*window, channels, multiplier)`.
        strides: an int, or one per spatial dimension.
        padding: `"valid"` or `"same"`.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.
        dilation_rate: an int, or one per spatial dimension.

    Returns:
        `(batch, *new_sizes, channels * multiplier)`, or with channels first; outputs of one channel are neighbours.
    """


@composite("nn", dtype=promote.inexact)
def separable_conv(
    inputs: Tensor,
    depthwise_kernel: Tensor,
    pointwise_kernel: Tensor,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Depthwise convolution followed by one that mixes the channels of each position.

    Args:
        inputs: `(batch, *sizes, channels)`, or with channels first.
        depthwise_kernel: `(*window, channels, multiplier)`.
        pointwise_kernel: `(*ones, channels * multiplier, filters)`.
        strides, padding, dilation_rate: of the depthwise convolution.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        `(batch, *new_sizes, filters)`, or with channels first.

    Reference: [Chollet, 2016](https://arxiv.org/abs/1610.02357)
    """
    x = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(x, pointwise_kernel, 1, "valid", data_format)


def _transpose_shape(
    inputs: Any, kernel: Any, strides: Any, padding: str, output_padding: Any, data_format: Any, dilation_rate: Any
) -> windows.Shape:
    g, window, depth = _geometry(inputs, kernel, strides, padding, data_format, dilation_rate)
    if None not in (depth, kernel.shape[-1]) and depth != kernel.shape[-1]:
        raise ValueError(
            f"the input has {depth} channels, but the last dimension of the kernel of shape {tuple(kernel.shape)} "
            f"is for {kernel.shape[-1]}."
        )
    # An unknown window makes its dimension unknown; a window of 1 stands in for it.
    known = tuple(1 if w is None else w for w in window)
    crops = windows.transposed_crop(known, output_padding, g)
    sizes = windows.transposed_sizes(windows.spatial(inputs.shape, g), known, crops, g)
    sizes = tuple(None if w is None else size for w, size in zip(window, sizes))
    return windows.assemble(inputs.shape[0], sizes, kernel.shape[-2], g)


@primitive("nn", dtype=promote.inexact, shape=_transpose_shape)
def conv_transpose(
    inputs: Tensor,
    kernel: Tensor,
    strides: Any = 1,
    padding: str = "valid",
    output_padding: Any = None,
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Transposed convolution: every input position adds the kernel, times its value, to the output.

    It is the gradient of `conv` with respect to its input, and enlarges where `conv` reduces.

    Args:
        inputs: `(batch, *sizes, channels)`, or with channels first.
        kernel: `(*window, filters, channels)`.
        strides: how far apart input positions come to lie in the output; an int, or one per spatial dimension.
        padding: `"valid"` keeps all of the output, `"same"` gives `size * stride` positions.
        output_padding: positions added at the end of the output, to choose among the sizes that `conv` would reduce
            to this one; None for the sizes above.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.
        dilation_rate: an int, or one per spatial dimension.

    Returns:
        `(batch, *new_sizes, filters)`, or with channels first.
    """
