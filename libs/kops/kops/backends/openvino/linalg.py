"""Graph kernels of products."""

from __future__ import annotations

import functools
from typing import Any

import kops
from kops.backends.openvino import opset
from kops.backends.openvino.build import cut, i64, length, permute, rank
from kops.backends.openvino.core import GraphTensor, cast, dtype_name, node
from kops.dims import as_tuple, positive
from kops.einsum_shapes import parse

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SMALL = ("bool", "int8", "uint8", "int16", "uint16")


def _wide(x: Any) -> Any:
    """Small ints would overflow while they are summed."""
    return node(cast(x, "int32") if dtype_name(x) in _SMALL else x)


def _tensordot(x1: Any, x2: Any, axes: Any) -> GraphTensor:
    n1, n2 = len(x1.shape), len(x2.shape)
    if isinstance(axes, int):
        first, second = tuple(range(n1 - axes, n1)), tuple(range(axes))
    else:
        first, second = (tuple(positive(i, n) for i in as_tuple(ax)) for ax, n in zip(axes, (n1, n2)))
    left = list(_LETTERS[:n1])
    right = list(_LETTERS[n1 : n1 + n2])
    for i, j in zip(first, second):
        right[j] = left[i]
    kept = [c for i, c in enumerate(left) if i not in first] + [c for j, c in enumerate(right) if j not in second]
    return _einsum(f"{''.join(left)},{''.join(right)}->{''.join(kept)}", [x1, x2], {})


def _einsum(subscripts: str, operands: Any, kwargs: Any) -> GraphTensor:
    handles = [_wide(x) for x in operands]
    if opset.is_float(handles[0]):
        return GraphTensor(opset.einsum(handles, subscripts.replace(" ", "")))
    return GraphTensor(_exact(subscripts, handles))


def _exact(subscripts: str, handles: list[Any]) -> Any:
    """An einsum of integers, element by element: OpenVINO's own goes by way of floats."""
    inputs, output = parse(subscripts, len(handles))
    named = {c for before, after in inputs for c in before + after}
    free = [c for c in _LETTERS if c not in named]

    def letters(before: str, after: str, dots: int) -> list[str]:
        middle = free[-dots:] if before.endswith(".") and dots else []
        return [*before.rstrip("."), *middle, *after]

    dots = [rank(x) - len(b.rstrip(".")) - len(a) for x, (b, a) in zip(handles, inputs)]
    order = letters(*output, max(dots))
    terms = [letters(*pair, n) for pair, n in zip(inputs, dots)]
    summed = [c for c in dict.fromkeys(c for term in terms for c in term) if c not in order]
    total: Any = None
    for x, term in zip(handles, terms):
        while len(set(term)) < len(term):
            c = next(c for c in term if term.count(c) > 1)
            first = term.index(c)
            second = term.index(c, first + 1)
            x = node(kops.diagonal(GraphTensor(x), 0, first, second))
            term = [d for i, d in enumerate(term) if i not in (first, second)] + [c]
        whole = [*order, *summed]
        x = permute(x, [term.index(c) for c in whole if c in term])
        absent = [i for i, c in enumerate(whole) if c not in term]
        x = opset.unsqueeze(x, i64(absent)).output(0) if absent else x
        total = x if total is None else opset.multiply(total, x)
    return opset.reduce_sum(total, list(range(len(order), len(order) + len(summed))))


def _matmul(x1: Any, x2: Any) -> GraphTensor:
    a, b = _wide(x1), _wide(x2)
    if opset.is_float(a):
        return GraphTensor(opset.matmul(a, b, False, False))
    n = length(a, rank(a) - 1)
    if {dtype_name(x1), dtype_name(x2)} <= {"bool", "int8", "uint8"} and isinstance(n, int):
        # 2**8 products are exact in float32.
        a, b, axis = opset.convert(a, "f32").output(0), opset.convert(b, "f32").output(0), max(rank(b) - 2, 0)
        cuts = [(cut(a, rank(a) - 1, i, i + 256), cut(b, axis, i, i + 256)) for i in range(0, max(n, 1), 256)]
        parts = [opset.convert(opset.matmul(*pair, False, False), "i32") for pair in cuts]
        return GraphTensor(functools.reduce(opset.add, parts))
    left, right = "..." * (rank(a) > 2) + "ij" * 1, "..." * (rank(b) > 2) + "jk"
    left, right = left if rank(a) > 1 else "j", right if rank(b) > 1 else "j"
    out = "..." * (max(rank(a), rank(b)) > 2) + "i" * (rank(a) > 1) + "k" * (rank(b) > 1)
    return GraphTensor(_exact(f"{left},{right}->{out}", [a, b]))


TABLE = {"matmul": _matmul, "tensordot": _tensordot, "einsum": _einsum}
