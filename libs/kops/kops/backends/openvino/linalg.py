"""Graph kernels of products."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
import openvino.opset16 as opset

from kops.backends.openvino.build import i64, length, rank
from kops.backends.openvino.core import GraphTensor, cast, dtype_name, node
from kops.dims import as_tuple, positive

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SMALL = ("bool", "int8", "uint8", "int16", "uint16")


def _wide(x: Any) -> Any:
    """Small ints would overflow while they are summed."""
    return node(cast(x, "int32") if dtype_name(x) in _SMALL else x)


def _tensordot(x1: Any, x2: Any, axes: Any) -> GraphTensor:
    a, b = _wide(x1), _wide(x2)
    n1, n2 = rank(a), rank(b)
    if isinstance(axes, int):
        first, second = tuple(range(n1 - axes, n1)), tuple(range(axes))
    else:
        first, second = (tuple(positive(i, n) for i in as_tuple(ax)) for ax, n in zip(axes, (n1, n2)))
    left = list(_LETTERS[:n1])
    right = list(_LETTERS[n1 : n1 + n2])
    for i, j in zip(first, second):
        right[j] = left[i]
    kept = [c for i, c in enumerate(left) if i not in first] + [c for j, c in enumerate(right) if j not in second]
    return GraphTensor(opset.einsum([a, b], f"{''.join(left)},{''.join(right)}->{''.join(kept)}"))


def _einsum(subscripts: str, operands: Any, kwargs: Any) -> GraphTensor:
    return GraphTensor(opset.einsum([_wide(x) for x in operands], subscripts.replace(" ", "")))


def _matmul(x1: Any, x2: Any) -> GraphTensor:
    return GraphTensor(opset.matmul(_wide(x1), _wide(x2), False, False))


def _scalar(n: Any) -> Any:
    return i64(n) if isinstance(n, int) else n


def _correlate(x1: Any, x2: Any, mode: str) -> GraphTensor:
    a, b = node(x1), node(x2)
    n, m = _scalar(length(a, 0)), _scalar(length(b, 0))
    zero, one = i64(0), i64(1)
    around = opset.unsqueeze(opset.subtract(m, one), zero)
    padded = opset.pad(a, around, around, "constant", node(cast(np.asarray(0), x1.dtype)))
    total = opset.subtract(opset.add(n, m), one)
    places = opset.add(
        opset.unsqueeze(opset.range(zero, total, one, ov.Type.i64), one),
        opset.unsqueeze(opset.range(zero, m, one, ov.Type.i64), zero),
    )
    whole = opset.matmul(opset.gather(padded, places, zero), b, False, False).output(0)
    if mode == "full":
        return GraphTensor(whole)
    short, long = opset.minimum(n, m), opset.maximum(n, m)
    if mode == "valid":
        start, stop = opset.subtract(short, one), long
    else:
        half = opset.divide(short, i64(2))
        start = opset.select(opset.greater_equal(n, m), opset.subtract(opset.subtract(short, one), half), half)
        stop = opset.add(start, long)
    start, stop = (opset.unsqueeze(s, zero) for s in (start, stop))
    return GraphTensor(opset.slice(whole, start, stop, i64([1]), i64([0])))


def _vander(x: Any, n: int | None, increasing: bool) -> GraphTensor:
    graph = _wide(x)
    count = _scalar(length(graph, 0) if n is None else n)
    powers = opset.range(i64(0), count, i64(1), ov.Type.i64)
    if not increasing:
        powers = opset.subtract(opset.subtract(count, i64(1)), powers)
    powers = opset.convert(powers, graph.get_element_type())
    return cast(GraphTensor(opset.power(opset.unsqueeze(graph, i64([1])), powers)), x.dtype)


TABLE = {"matmul": _matmul, "tensordot": _tensordot, "einsum": _einsum, "correlate": _correlate, "vander": _vander}
