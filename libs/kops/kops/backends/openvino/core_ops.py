"""Graph kernels of `kops.ops.core` and `kops.ops.creation`; shapes hold scalar GraphTensors where they are dynamic."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov

from kops.backends.openvino import opset
from kops.backends.openvino.core import GraphTensor, cast, node
from kops.dtypes import standardize_dtype


def shape_handle(shape: Any) -> Any:
    """An int64 vector of sizes, some of them graph scalars."""
    if isinstance(shape, GraphTensor):
        return opset.convert(node(shape), ov.Type.i64)
    axis = opset.constant(np.int64(0))
    return opset.concat([opset.unsqueeze(opset.convert(node(d), ov.Type.i64), axis) for d in shape], 0)


def _full(shape: Any, value: Any, dtype: Any) -> Any:
    value = cast(value, standardize_dtype(dtype)) if isinstance(value, GraphTensor) else np.asarray(value, dtype)
    return GraphTensor(opset.broadcast(node(value), shape_handle(shape)))


def _filled(value: int) -> Any:
    return lambda shape, dtype: _full(shape, value, dtype)


def _like(value: int) -> Any:
    def kernel(x: Any, dtype: Any) -> Any:
        return GraphTensor(opset.broadcast(node(np.asarray(value, dtype)), opset.shape_of(node(x))))

    return kernel


def _arange(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    name = standardize_dtype(dtype)
    parts = [node(cast(x, name) if isinstance(x, GraphTensor) else np.asarray(x, dtype)) for x in (start, stop, step)]
    return GraphTensor(opset.range(*parts, output_type=parts[0].get_element_type()))


def _band(low: bool) -> Any:
    def kernel(shape: Any, k: int, dtype: Any) -> Any:
        rows, columns = (node(_arange(0, n, 1, np.dtype(np.int32))) for n in shape)
        rows = opset.unsqueeze(rows, opset.constant(np.int64(1)))
        distance, limit = opset.subtract(columns, rows), opset.constant(np.int32(k))
        inside = opset.equal(distance, limit) if low else opset.less_equal(distance, limit)
        return cast(GraphTensor(inside), standardize_dtype(dtype))

    return kernel


TABLE = {
    "arange": _arange,
    "copy": lambda x: x,
    "empty": _filled(0),
    "eye": _band(True),
    "full": _full,
    # OpenVINO ends the process over a broadcast to the shape ().
    "full_like": lambda x, value, dtype: GraphTensor(
        opset.broadcast(node(value), opset.shape_of(node(x))) if x.shape else node(value)
    ),
    "ones": _filled(1),
    "ones_like": _like(1),
    "tri": _band(False),
    "zeros": _filled(0),
    "zeros_like": _like(0),
}
