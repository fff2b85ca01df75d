"""Small pieces of graphs that kernels of several families need."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov

from kops.backends.openvino import opset
from kops.backends.openvino.core import GraphTensor, node

LAST = np.iinfo(np.int64).max


def out(x: Any) -> Any:
    """The first output of a node."""
    return x.output(0) if hasattr(x, "output") else x


def i64(value: Any) -> Any:
    """An int64 constant."""
    return opset.constant(np.asarray(value, np.int64)).output(0)


def lengths(x: Any) -> Any:
    """The shape of a graph handle, as a graph handle."""
    return opset.shape_of(x, "i64").output(0)


def pack(values: Any) -> Any:
    """A vector of ints some of which are graph tensors."""
    if hasattr(values, "shape") or not any(isinstance(v, GraphTensor) for v in values):
        return opset.convert(node(values), ov.Type.i64).output(0) if hasattr(values, "shape") else i64(list(values))
    one = i64([1])
    parts = [
        opset.reshape(opset.convert(node(v), ov.Type.i64), one, False) if isinstance(v, GraphTensor) else i64([v])
        for v in values
    ]
    return opset.concat(parts, 0).output(0)


def target(shape: Any) -> Any:
    """A target shape as a vector, -1 for None."""
    if isinstance(shape, (tuple, list)):
        return pack([-1 if d is None else d for d in shape])
    return pack(shape) if hasattr(shape, "shape") else i64([shape])


def length(x: Any, axis: int) -> Any:
    """One dimension of a graph handle: an int where it is known, else a scalar graph handle."""
    d = x.get_partial_shape()[axis]
    return d.get_length() if d.is_static else opset.gather(lengths(x), i64(axis), i64(0)).output(0)


def rank(x: Any) -> int:
    return len(x.get_partial_shape())


def permute(x: Any, order: Any) -> Any:
    order = list(order)
    return x if order == sorted(order) else opset.transpose(x, i64(order)).output(0)


def cut(x: Any, axis: int, start: int, stop: int) -> Any:
    """`x[start:stop]` along an axis."""
    return opset.slice(x, i64([start]), i64([stop]), i64([1]), i64([axis])).output(0)


def wrapped(indices: Any, of: Any, axis: int) -> Any:
    """Negative positions counted from the end, in int64."""
    indices = opset.convert(indices, ov.Type.i64)
    n = length(of, axis)
    shifted = opset.add(indices, i64(n) if isinstance(n, int) else n)
    return opset.select(opset.less(indices, i64(0)), shifted, indices).output(0)
