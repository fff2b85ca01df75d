"""Branches in graphs: both are computed, one is selected. Loops of known length are unrolled by the ops' bodies."""

from __future__ import annotations

from typing import Any

from kops import tree
from kops.backends.openvino import opset
from kops.backends.openvino.core import GraphTensor, convert, dtype_name, node
from kops.backends.openvino.loops import loop
from kops.control_trees import as_vars, tensors


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
    given, several = as_vars(loop_vars)
    state = tensors(given)
    leaves = tree.flatten(state)

    def step(flat: Any, _: Any) -> Any:
        after = tensors(as_vars(body(*tree.pack_sequence_as(state, flat)))[0])
        made = [convert(x, dtype_name(old)) for x, old in zip(tree.flatten(after), leaves)]
        return made, [], cond(*tree.pack_sequence_as(state, made))

    limit = -1 if maximum_iterations is None else maximum_iterations
    last, _ = loop(step, leaves, go=cond(*state), limit=limit)
    result = tree.pack_sequence_as(state, last)
    return result if several else result[0]


TABLE = {"_cond": _cond, "stop_gradient": lambda x: x, "switch": _switch, "while_loop": _while_loop}
