"""Graph kernels of diagonals and triangles."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov

from kops.backends.openvino import opset
from kops.backends.openvino.build import i64, length, lengths, permute, rank
from kops.backends.openvino.core import GraphTensor, cast, node
from kops.backends.openvino.manipulation import reshaped
from kops.dims import positive


def _handle(n: Any) -> Any:
    return i64(n) if isinstance(n, int) else n


def _diagonal(x: Any, offset: int, axis1: int, axis2: int) -> GraphTensor:
    """Positions in the flattened matrices."""
    x = node(x)
    n = rank(x)
    axes = positive(axis1, n), positive(axis2, n)
    x = permute(x, [*(a for a in range(n) if a not in axes), *axes])
    rows, columns = _handle(length(x, n - 2)), _handle(length(x, n - 1))
    zero, one = i64(0), i64(1)
    if offset >= 0:
        count, start = opset.minimum(rows, opset.subtract(columns, i64(offset))), i64(offset)
    else:
        count = opset.minimum(opset.add(rows, i64(offset)), columns)
        start = opset.multiply(columns, i64(-offset))
    places = opset.range(zero, opset.maximum(count, zero), one, ov.Type.i64)
    places = opset.add(opset.multiply(places, opset.add(columns, one)), start)
    lead = opset.slice(lengths(x), i64([0]), i64([n - 2]), i64([1]), i64([0]))
    flat = reshaped(x, opset.concat([lead, i64([-1])], 0))
    return GraphTensor(opset.gather(flat, places, i64(n - 2)))


def _offsets(x: Any) -> Any:
    """Column minus row of each element of the matrices."""
    n = rank(x)
    ranges = [opset.range(i64(0), _handle(length(x, n - i)), i64(1), ov.Type.i64) for i in (2, 1)]
    return opset.subtract(opset.unsqueeze(ranges[1], i64([0])), opset.unsqueeze(ranges[0], i64([1])))


def _triangle(compare: Any) -> Any:
    def kernel(x: Any, k: int) -> GraphTensor:
        zero = node(cast(np.asarray(0), x.dtype))
        return GraphTensor(opset.select(compare(_offsets(node(x)), i64(k)), node(x), zero))

    return kernel


def _diag(x: Any, k: int) -> GraphTensor:
    graph = node(x)
    if rank(graph) == 2:
        return _diagonal(x, k, 0, 1)
    zero = node(cast(np.asarray(0), x.dtype))
    longer = opset.pad(graph, i64([0]), i64([abs(k)]), "constant", zero).output(0)
    line = opset.unsqueeze(longer, i64([1 if k >= 0 else 0])).output(0)
    total = lengths(longer)
    square = opset.broadcast(line, opset.concat([total, total], 0)).output(0)
    return GraphTensor(opset.select(opset.equal(_offsets(square), i64(k)), square, zero))


TABLE = {
    "diagonal": _diagonal,
    "diag": _diag,
    "tril": _triangle(opset.less_equal),
    "triu": _triangle(opset.greater_equal),
}
