"""Pooling graph kernels."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import openvino.opset14 as opset14

import kops
from kops import windows
from kops.backends.openvino import opset
from kops.backends.openvino.core import GraphTensor, node, refusal
from kops.backends.openvino.gaps import GRAPH_LIMITS
from kops.backends.openvino.nn_conv import auto_pad, from_first, to_first
from kops.dtypes import limits


def _nothing(x: Any, window: Any, g: windows.Geometry) -> Any:
    """The output where it has no elements, which OpenVINO refuses to pool; else None."""
    shape = windows.slide(x.shape, window, windows.channels(x.shape, g), g)
    if 0 not in shape:
        return None
    return GraphTensor(node(np.zeros([d or 0 for d in shape], x.dtype)))


def _of_integers(x: Any, window: Any, g: windows.Geometry) -> Any:
    """A maximum over the taps of the window: OpenVINO's own compares floats."""
    x = kops.moveaxis(x, 1, -1) if g.channels_first else x
    if None in x.shape[1:-1]:
        raise refusal(f"integers of unknown sizes in an OpenVINO graph: {GRAPH_LIMITS['max_pool']}")
    around = windows.paddings(x.shape[1:-1], window, g)
    x = kops.pad(x, [(0, 0), *around, (0, 0)], constant_values=limits(x.dtype)[0])
    y = functools.reduce(kops.maximum, windows.taps(x, window, g))
    return kops.moveaxis(y, -1, 1) if g.channels_first else y


def max_pool(x: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    g, window = windows.pooling(len(x.shape), pool_size, strides, padding, data_format)
    if (nothing := _nothing(x, window, g)) is not None:
        return nothing
    if not opset.is_float(node(x)):
        return _of_integers(x, window, g)
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
