"""Graph kernels of segment reductions, as scatters into rows that hold what an empty segment gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov

from kops.backends.numpy.segment import start_of
from kops.backends.openvino import opset
from kops.backends.openvino.build import LAST, i64, lengths
from kops.backends.openvino.core import GraphTensor, cast, node


def _segment(reduction: str) -> Any:
    def kernel(data: Any, ids: Any, num: Any, ordered: bool) -> GraphTensor:
        rows = opset.convert(node(ids), ov.Type.i64).output(0)
        graph = node(data)
        n = i64(num) if num is not None else opset.add(opset.reduce_max(rows, [0]), i64(1))
        outside = opset.logical_or(opset.less(rows, i64(0)), opset.greater_equal(rows, n))
        rows = opset.unsqueeze(opset.select(outside, n, rows), i64([1]))  # one more segment for what belongs to none
        rest = opset.slice(lengths(graph), i64([1]), i64([LAST]), i64([1]), i64([0]))
        more = opset.unsqueeze(opset.add(n, i64(1)), i64([0]))
        start = node(cast(np.asarray(start_of(reduction, data.dtype)), data.dtype))
        empty = opset.broadcast(start, opset.concat([more, rest], 0))
        out = opset.scatter_nd_update(empty, rows, graph, reduction)
        return GraphTensor(opset.slice(out, i64([0]), i64([-1]), i64([1]), i64([0])))

    return kernel


TABLE = {f"segment_{name}": _segment(name) for name in ("sum", "max", "min", "prod")}
