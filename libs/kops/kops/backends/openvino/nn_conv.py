"""Convolution graph kernels: OpenVINO's have channels first and kernels `(out, in, *window)`."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from kops import windows
from kops.backends.openvino import opset
from kops.backends.openvino.core import GraphTensor, node


def permuted(x: Any, order: Sequence[int]) -> Any:
    return opset.transpose(x, opset.constant(np.array(order)))


def to_first(x: Any, g: windows.Geometry) -> Any:
    return node(x) if g.channels_first else permuted(node(x), [0, g.n + 1, *range(1, g.n + 1)])


def from_first(x: Any, g: windows.Geometry) -> Any:
    return GraphTensor(x if g.channels_first else permuted(x, [0, *range(2, g.n + 2), 1]))


def auto_pad(g: windows.Geometry) -> str:
    return "same_upper" if g.padding == "same" else "valid"


def _reshaped(x: Any, shape: Sequence[int]) -> Any:
    return opset.reshape(x, opset.constant(np.array(shape)), special_zero=False)


def _grouped(x: Any, weights: Any, window: Sequence[int], groups: int, g: windows.Geometry) -> Any:
    """`weights`: (groups, out / groups, in / groups, *window)."""
    zeros = [0] * g.n
    return from_first(
        opset.group_convolution(to_first(x, g), weights, list(g.strides), zeros, zeros, list(g.dilation), auto_pad(g)),
        g,
    )


def conv(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    g = windows.geometry(len(x.shape), strides, padding, data_format, dilation_rate)
    window = list(kernel.shape[:-2])
    taken, out = kernel.shape[-2:]
    weights = permuted(node(kernel), [g.n + 1, g.n, *range(g.n)])
    groups = windows.channels(x.shape, g) // taken
    if groups > 1:
        return _grouped(x, _reshaped(weights, [groups, out // groups, taken, *window]), window, groups, g)
    zeros = [0] * g.n
    y = opset.convolution(to_first(x, g), weights, list(g.strides), zeros, zeros, list(g.dilation), auto_pad(g))
    return from_first(y, g)


def depthwise_conv(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    g = windows.geometry(len(x.shape), strides, padding, data_format, dilation_rate)
    window = list(kernel.shape[:-2])
    depth, multiplier = kernel.shape[-2:]
    weights = permuted(node(kernel), [g.n, g.n + 1, *range(g.n)])
    return _grouped(x, _reshaped(weights, [depth, multiplier, 1, *window]), window, depth, g)


def conv_transpose(
    x: Any, kernel: Any, strides: Any, padding: str, output_padding: Any, data_format: Any, dilation_rate: Any
) -> Any:
    g = windows.geometry(len(x.shape), strides, padding, data_format, dilation_rate)
    crops = windows.transposed_crop(kernel.shape[:-2], output_padding, g)
    weights = permuted(node(kernel), [g.n + 1, g.n, *range(g.n)])
    before = [b for b, _ in crops]
    after = [max(a, 0) for _, a in crops]
    y = opset.convolution_backprop_data(
        to_first(x, g), weights, list(g.strides), None, before, after, list(g.dilation), "explicit"
    )
    appended = [max(-a, 0) for _, a in crops]
    if any(appended):
        zeros = opset.constant(np.zeros(g.n + 2, np.int64))
        ends = opset.constant(np.array([0, 0, *appended], np.int64))
        y = opset.pad(y, zeros, ends, "constant", opset.convert(opset.constant(np.float32(0)), y.get_element_type()))
    return from_first(y, g)


TABLE = {"conv": conv, "depthwise_conv": depthwise_conv, "conv_transpose": conv_transpose}
