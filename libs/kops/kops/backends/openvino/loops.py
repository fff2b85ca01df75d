"""Loops inside of graphs, by the op set's Loop.

A loop's body is a model of its own. What its Python function takes from outside is found in the finished body and
handed in: the body's nodes are those that were made after it began.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
import openvino as ov

from kops.backends.openvino import opset
from kops.backends.openvino.build import i64, length
from kops.backends.openvino.core import GraphTensor, node

Step = Callable[[list[Any], list[Any]], tuple[list[Any], list[Any], Any]]


def loop(
    step: Step, states: Sequence[Any], sequences: Sequence[tuple[Any, int]] = (), go: Any = None, limit: int = -1
) -> tuple[list[GraphTensor], list[GraphTensor]]:
    """Repeat `states, outputs, go_on = step(states, slices)`.

    Args:
        step: on GraphTensors; `go_on` is a scalar bool, None for True.
        states: what it starts with.
        sequences: pairs of a tensor and an axis: each turn takes the next slice, without that axis.
        go: whether to begin at all, a scalar bool; None for True.
        limit: the largest number of turns, -1 for none; with sequences there are as many as they have slices.

    Returns:
        The last states, and each output stacked along a new first axis.
    """
    starts = [node(x) for x in states]
    whole_sequences = [node(x) for x, _ in sequences]
    born = _age(opset.constant(np.int64(0)))
    inner = [_parameter(x, x.get_partial_shape()) for x in starts]
    slices = [_parameter(x, _one_along(x, axis)) for x, (_, axis) in zip(whole_sequences, sequences)]
    squeezed = [GraphTensor(opset.squeeze(s, i64([axis]))) for s, (_, axis) in zip(slices, sequences)]
    after, outputs, more = step([GraphTensor(p) for p in inner], squeezed)
    always = opset.constant(np.array(True)).output(0)
    results = [opset.result(always if more is None else node(more))]
    results += [opset.result(node(x)) for x in after]
    results += [opset.result(opset.unsqueeze(node(x), i64([0]))) for x in outputs]
    captured = _captured(results, born)
    turn = opset.parameter([], ov.Type.i64)
    body = ov.Model(results, [turn, *inner, *slices, *(p for p, _ in captured)])
    begin = opset.constant(np.array(True)).output(0) if go is None else node(go)
    turns = length(whole_sequences[0], sequences[0][1]) if sequences else limit
    whole = opset.loop(i64(turns) if isinstance(turns, int) else turns, begin)
    whole.set_function(body)
    whole.set_special_body_ports([0, 0])
    for p, start, result in zip(inner, starts, results[1:]):
        whole.set_merged_input(p, start, result.output(0))
    for p, x, (_, axis) in zip(slices, whole_sequences, sequences):
        whole.set_sliced_input(p, x, 0, 1, 1, -1, axis)
    for p, value in captured:
        whole.set_invariant_input(p, value)
    last = [whole.get_iter_value(r.output(0), -1) for r in results[1 : 1 + len(starts)]]
    stacked = [whole.get_concatenated_slices(r.output(0), 0, 1, 1, -1, 0) for r in results[1 + len(starts) :]]
    return [GraphTensor(x) for x in last], [GraphTensor(x) for x in stacked]


def _age(x: Any) -> int:
    """Nodes are numbered as they are made."""
    return int(x.get_name().rpartition("_")[2])


def _parameter(x: Any, shape: Any) -> Any:
    return opset.parameter(shape, x.get_element_type())


def _one_along(x: Any, axis: int) -> Any:
    shape = list(x.get_partial_shape())
    shape[axis] = ov.Dimension(1)
    return ov.PartialShape(shape)


def _captured(results: list[Any], born: int) -> list[tuple[Any, Any]]:
    """Parameters put in place of values from outside, with those values."""
    replaced: dict[tuple[str, int], tuple[Any, Any]] = {}
    seen: set[str] = set()
    queue = list(results)
    while queue:
        current = queue.pop()
        for port in current.inputs():
            source = port.get_source_output()
            maker = source.get_node()
            if _age(maker) < born and maker.get_type_name() != "Constant":
                key = (maker.get_name(), source.get_index())
                if key not in replaced:
                    replaced[key] = _parameter(source, source.get_partial_shape()), source
                port.replace_source_output(replaced[key][0].output(0))
            elif maker.get_name() not in seen:
                seen.add(maker.get_name())
                queue.append(maker)
    return list(replaced.values())
