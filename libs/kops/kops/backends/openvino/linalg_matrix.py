"""Graph kernels of solvers: the op set inverts matrices, and decomposes none."""

from __future__ import annotations

from typing import Any

import kops
from kops.backends.openvino import opset
from kops.backends.openvino.build import i64, rank
from kops.backends.openvino.core import GraphTensor, node


def _solve(a: Any, b: Any) -> GraphTensor:
    inverse, right = opset.inverse(node(a), adjoint=False), node(b)
    if rank(right) == rank(node(a)) - 1:
        column = opset.matmul(inverse, opset.unsqueeze(right, i64([-1])), False, False)
        return GraphTensor(opset.squeeze(column, i64([-1])))
    return GraphTensor(opset.matmul(inverse, right, False, False))


def _solve_triangular(a: Any, b: Any, lower: bool) -> GraphTensor:
    return _solve(kops.tril(a) if lower else kops.triu(a), b)


TABLE = {
    "inv": lambda x: GraphTensor(opset.inverse(node(x), adjoint=False)),
    "solve": _solve,
    "solve_triangular": _solve_triangular,
}
