"""Branches in graphs: both are computed, one is selected. The ops' bodies unroll loops of known length."""

from __future__ import annotations

from typing import Any

import openvino.opset16 as opset

from kops import tree
from kops.backends.openvino.core import GraphTensor, node


def _select(chosen: Any, yes: Any, no: Any) -> Any:
    def pick(a: Any, b: Any) -> Any:
        return GraphTensor(opset.select(chosen, node(a), node(b)))

    return tree.map_structure(pick, yes, no, none_is_leaf=False)


def _cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    return _select(node(pred), true_fn(), false_fn())


def _switch(index: Any, branches: Any, operands: Any) -> Any:
    result = branches[-1](*operands)
    for i in reversed(range(len(branches) - 1)):
        here = opset.less_equal(node(index), node(i, index.dtype))
        result = _select(here, branches[i](*operands), result)
    return result


def _while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    raise NotImplementedError(
        "while_loop with a condition on tensors cannot become part of an OpenVINO graph here. Use fori_loop or scan "
        "with a known number of steps, or run the model eagerly."
    )


TABLE = {
    "_cond": _cond,
    "stop_gradient": lambda x: x,
    "switch": _switch,
    "while_loop": _while_loop,
}
