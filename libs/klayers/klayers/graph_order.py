"""The order of layers in a functional model, which files depend on.

Operations are sorted by depth: the length of the longest path to an output, inputs first. Within one depth they
stand in the order in which a walk from the outputs towards the inputs first meets them; inputs that it does not meet
are of depth 0 and stand first there.
"""

from __future__ import annotations

from typing import Any

from kops.function import Function


def ordered_operations(function: Function) -> list[Any]:
    """The operations of a graph in file order."""
    met = _order_met(function)
    depths: dict[int, int] = {}
    operation_depths: dict[int, int] = {}
    for node in reversed(function.nodes):
        depth = max(depths.get(id(node), 0), operation_depths.get(id(node.operation), 0))
        depths[id(node)] = operation_depths[id(node.operation)] = depth
        for parent in node.parents:
            depths[id(parent)] = max(depths.get(id(parent), 0), depth + 1)
    for x in function.inputs:
        operation_depths.setdefault(id(x._keras_history.operation), 0)
    operations = list({id(n.operation): n.operation for n in function.nodes}.values())
    return sorted(operations, key=lambda op: (-operation_depths[id(op)], met.get(id(op), -1)))


def _order_met(function: Function) -> dict[int, int]:
    met: dict[int, int] = {}
    seen: set[int] = set()
    inputs = {id(x) for x in function.inputs}
    stack = list(reversed(function.outputs))
    while stack:
        x = stack.pop()
        history = x._keras_history
        met.setdefault(id(history.operation), len(met))
        node = history.operation._inbound_nodes[history.node_index]
        if id(node) in seen or id(x) in inputs:
            continue
        seen.add(id(node))
        stack.extend(reversed(node.inputs))
    return met
