"""A functional model's graph as plain data, and back."""

from __future__ import annotations

import inspect
from collections import deque
from typing import Any

import ksave
from kops import tree
from kops.keras_tensor import KerasTensor
from kops.op_node import OpNode
from kops.operation import Node
from ksave.codecs import load_plugins


def has_graph_constructor(cls: Any) -> bool:
    """Whether a class is made from inputs and outputs, so that its graph is its config."""
    parameters = list(inspect.signature(cls.__init__).parameters)[1:]
    return parameters[:2] == ["inputs", "outputs"] or parameters == ["args", "kwargs"]


def graph_to_config(model: Any) -> dict[str, Any]:
    """`layers`, `input_layers` and `output_layers` of a functional model."""
    load_plugins()
    kept = {id(node) for node in model._function.nodes}
    numbers: dict[int, int] = {}  # node -> its index among the nodes of its operation that belong to the model
    for operation in model.operations:
        inside = [n for n in operation._inbound_nodes if id(n) in kept]
        numbers.update({id(n): i for i, n in enumerate(inside)})

    def place(x: KerasTensor) -> list[Any]:
        history = x._keras_history  # type: ignore[attr-defined]
        node = history.operation._inbound_nodes[history.node_index]
        return [history.operation.name, numbers[id(node)], history.tensor_index]

    def argument(x: Any) -> Any:
        if isinstance(x, KerasTensor):
            return {
                "class_name": "__keras_tensor__",
                "config": {"shape": list(x.shape), "dtype": x.dtype, "keras_history": place(x)},
            }
        return ksave.serialize_keras_object(x)

    def nested(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return [nested(v) for v in x]
        if isinstance(x, dict):
            return {k: nested(v) for k, v in x.items()}
        return argument(x)

    layers = []
    for operation in model.operations:
        record = ksave.serialize_keras_object(operation)
        record["name"] = operation.name
        record["inbound_nodes"] = [
            {"args": nested(list(node.args)), "kwargs": nested(node.kwargs)}
            for node in operation._inbound_nodes
            if id(node) in kept and not node.is_input
        ]
        layers.append(record)
    return {
        "layers": layers,
        "input_layers": _places(model.input, place),
        "output_layers": _places(model.output, place),
    }


def _places(structure: Any, place: Any) -> Any:
    """Places of the model's inputs or outputs.

    In files, calls of a nested functional model are counted from 1 here (and from 0 in `inbound_nodes`): number 0 was
    the node that once linked its own inputs to its outputs.
    """

    def outer(x: KerasTensor) -> list[Any]:
        name, index, tensor_index = place(x)
        return [name, index + _first_call(x._keras_history.operation), tensor_index]  # type: ignore[attr-defined]

    return tree.map_structure(outer, structure)


def _first_call(operation: Any) -> int:
    return 1 if hasattr(operation, "_function") else 0


def graph_from_config(config: dict[str, Any], custom_objects: Any = None) -> tuple[Any, Any]:
    """Inputs and outputs of the graph that `graph_to_config` described."""
    load_plugins()
    operations: dict[str, Any] = {}
    waiting: dict[str, deque[Any]] = {}  # calls by the name of their operation, in their order
    made: dict[tuple[str, int], list[KerasTensor]] = {}
    for record in config["layers"]:
        operation = ksave.deserialize_keras_object(
            {k: v for k, v in record.items() if k not in ("name", "inbound_nodes")}, custom_objects=custom_objects
        )
        name = record.get("name") or record["config"]["name"]
        if name in operations:
            raise ValueError(f"Two layers in the config are named {name!r}.")
        operations[name] = operation
        # A nested model has nodes of its own making already; calls of this graph are counted from here.
        if operation._inbound_nodes and not record["inbound_nodes"]:
            made[name, 0] = operation._inbound_nodes[0].outputs
        waiting[name] = deque(enumerate(record["inbound_nodes"]))

    missing: dict[tuple[str, int], None] = {}  # what the call that is looked at needs and nobody has made yet

    def find(history: Any) -> KerasTensor | None:
        outputs = made.get((history[0], history[1]))
        if outputs is None:
            missing[history[0], history[1]] = None
            return None
        return outputs[history[2]]

    # Layers may stand in any order; each waits for the calls it needs, so that all is looked at once.
    waits_for: dict[str, int] = {}
    wanted_by: dict[tuple[str, int], list[str]] = {}
    ready = deque(waiting)
    while ready:
        name = ready.popleft()
        calls, operation = waiting[name], operations[name]
        while calls:
            index, call = calls[0]
            missing.clear()
            args, kwargs = _call_arguments(call, find, custom_objects)
            if missing:
                waits_for[name] = len(missing)
                for place in missing:
                    wanted_by.setdefault(place, []).append(name)
                break
            if not any(isinstance(x, KerasTensor) for x in tree.flatten((args, kwargs))):
                # It would be computed here and now, with whatever sizes the config asks for.
                raise ValueError(f"The graph in the config calls {name!r} on no tensor of the graph.")
            _claim_outputs(operation, args)
            operation(*args, **kwargs)
            node: Node = operation._inbound_nodes[-1]
            made[name, index] = node.outputs
            calls.popleft()
            for other in wanted_by.pop((name, index), ()):
                waits_for[other] -= 1
                if not waits_for[other]:
                    ready.append(other)
    left = [name for name, calls in waiting.items() if calls]
    if left:
        raise ValueError(
            f"The graph in the config is incomplete: {', '.join(map(repr, left))} need tensors that no layer in it "
            "makes."
        )

    def tensor(place: Any) -> KerasTensor:
        name, index, tensor_index = place
        x = find([name, index - _first_call(operations.get(name)), tensor_index])
        if x is None:
            raise ValueError(f"The config names a tensor that its graph does not make: {place}.")
        return x

    return _map_places(config["input_layers"], tensor), _map_places(config["output_layers"], tensor)


def _claim_outputs(operation: Any, args: tuple[Any, ...]) -> None:
    """Count the parts of a split before there are any: a config can ask for any number."""
    if not isinstance(operation, OpNode):
        return
    config = operation.get_config()
    count = config.get("indices_or_sections")
    if operation.class_path[1] == "Unstack" and isinstance(args[0], KerasTensor):
        shape, axis = args[0].shape, config.get("axis") or 0
        known = isinstance(axis, int) and -len(shape) <= axis < len(shape)
        count = (shape[axis] if known else None) or config.get("num")
    if isinstance(count, int):
        ksave.claim_variable((max(count, 0),), _BYTES_OF_AN_OUTPUT)


_BYTES_OF_AN_OUTPUT = 4096  # a symbolic tensor, its history and a step of Python


def _call_arguments(call: Any, find: Any, custom_objects: Any) -> Any:
    def value(x: Any) -> Any:
        if isinstance(x, dict):
            if x.get("class_name") == "__keras_tensor__" and x["config"].get("keras_history") is not None:
                return find(x["config"]["keras_history"])
            if "class_name" in x and "config" in x:
                return ksave.deserialize_keras_object(x, custom_objects=custom_objects)
            return {k: value(v) for k, v in x.items()}
        if isinstance(x, list):
            return [value(v) for v in x]
        return x

    if isinstance(call, dict):
        return tuple(value(x) for x in call["args"]), {k: value(v) for k, v in call["kwargs"].items()}
    return _old_call_arguments(call, find)


def _old_call_arguments(call: Any, find: Any) -> Any:
    """Keras 2: a call is a list of `[layer, node index, tensor index, kwargs]`."""
    tensors = []
    kwargs: dict[str, Any] = {}
    for entry in call:
        tensors.append(find(entry))
        for k, v in (entry[3] if len(entry) > 3 else {}).items():
            if isinstance(v, list) and len(v) >= 3 and isinstance(v[0], str) and isinstance(v[1], int):
                v = find(v)
            kwargs[k] = v
    return ((tensors[0] if len(tensors) == 1 else tensors),), kwargs


def _map_places(places: Any, tensor: Any) -> Any:
    """Places `[name, node, tensor]` in any structure, as tensors in that structure."""
    if isinstance(places, dict):
        return {k: _map_places(v, tensor) for k, v in places.items()}
    if len(places) == 3 and isinstance(places[0], str) and isinstance(places[1], int):
        return tensor(places)
    return [_map_places(v, tensor) for v in places]
