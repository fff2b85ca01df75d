"""Graph kernels that order elements."""

from __future__ import annotations

from typing import Any

import openvino as ov

from kops.backends.kernel_tables import kernels
from kops.backends.openvino import opset
from kops.backends.openvino.build import i64, length, rank
from kops.backends.openvino.core import GraphTensor, node
from kops.backends.openvino.manipulation import reshaped
from kops.dims import positive


def _ordered(x: Any, axis: int | None, count: Any, mode: str, sort: str = "value") -> Any:
    graph = node(x)
    if axis is None:
        graph, axis = reshaped(graph, i64([-1])), 0
    axis = positive(axis, rank(graph))
    n = length(graph, axis) if count is None else count
    k = i64(n) if isinstance(n, int) else n
    return opset.topk(graph, k, axis, mode, sort, index_element_type="i32", stable=sort == "value")


def _top_k(x: Any, k: int, sorted: bool) -> tuple[GraphTensor, GraphTensor]:
    values, places = _ordered(x, -1, k, "max", "value" if sorted else "none")
    return GraphTensor(values), GraphTensor(places)


def _argsort(x: Any, axis: int | None) -> GraphTensor:
    return GraphTensor(_ordered(x, axis, None, "min")[1])


def _searchsorted(s: Any, v: Any, side: str) -> GraphTensor:
    places, flat = node(s), reshaped(node(v), i64([-1]))
    if opset.is_float(flat):  # OpenVINO has no place for NaN
        places, flat = opset.rising(places), opset.rising(flat)
    found = opset.search_sorted(places, flat, right_mode=side == "right")
    shape = opset.shape_of(node(v), "i64")
    return GraphTensor(reshaped(opset.convert(found, ov.Type.i32), shape))


TABLE = {
    **kernels(_argsort, _top_k, _searchsorted),
    "sort": lambda x, axis: GraphTensor(_ordered(x, axis, None, "min")[0]),
    "argpartition": lambda x, kth, axis: _argsort(x, axis),  # a full order is a partition, too
}
