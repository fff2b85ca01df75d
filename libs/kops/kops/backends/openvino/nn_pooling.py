"""Pooling graph kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino.opset14 as opset14
import openvino.opset16 as opset

from kops import windows
from kops.backends.openvino.core import GraphTensor, node
from kops.backends.openvino.nn_conv import auto_pad, from_first, to_first


def _nothing(x: Any, window: Any, g: windows.Geometry) -> Any:
    """The output where it has no elements, which OpenVINO refuses to pool; else None."""
    shape = windows.slide(x.shape, window, windows.channels(x.shape, g), g)
    if 0 not in shape:
        return None
    return GraphTensor(node(np.zeros([d or 0 for d in shape], x.dtype)))


def max_pool(x: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    g, window = windows.pooling(len(x.shape), pool_size, strides, padding, data_format)
    if (nothing := _nothing(x, window, g)) is not None:
        return nothing
    zeros = [0] * g.n
    y = opset.max_pool(to_first(x, g), list(g.strides), [1] * g.n, zeros, zeros, list(window), auto_pad=auto_pad(g))
    return from_first(y.output(0), g)


def average_pool(x: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    g, window = windows.pooling(len(x.shape), pool_size, strides, padding, data_format)
    if (nothing := _nothing(x, window, g)) is not None:
        return nothing
    zeros = [0] * g.n
    # The AvgPool of opset16 crashes the CPU plugin of OpenVINO 2026.4.
    y = opset14.avg_pool(to_first(x, g), list(g.strides), zeros, zeros, list(window), True, auto_pad=auto_pad(g))
    return from_first(y, g)


TABLE = {"max_pool": max_pool, "average_pool": average_pool}
