"""What belongs to a layer: its variables, sublayers, metrics and seed generators.

Found by looking at the layer's attributes when somebody asks, containers included; lists and dictionaries stay the
plain Python objects they are, and setting an attribute costs nothing.
"""

from __future__ import annotations

from typing import Any, Iterator

from kops.keras_tensor import KerasTensor
from kops.operation import Operation
from kops.random import SeedGenerator
from kops.variable import Variable

_ATOMS = frozenset({type(None), bool, int, float, str, bytes, complex, KerasTensor, type, type(len)})

# Attributes of the machinery, which hold no children of their own.
MACHINERY = frozenset(
    {
        "_inbound_nodes",
        "_outbound_nodes",
        "_init_arguments",
        "_own_variables",
        "_seen",
        "_losses",
        "_build_shapes",
        "_signature",
        "_dtype_policy",
        "_input_spec",
        "_activity_regularizer",
        "_scheme",
        "_parameters",
        "_modules",
        "_buffers",
    }
)


def is_metric(x: Any) -> bool:
    """Whether `x` behaves as a metric: told by its methods, since metrics live in a library above."""
    cls = type(x)
    return hasattr(cls, "update_state") and hasattr(cls, "reset_state") and hasattr(cls, "result")


def members(layer: Any) -> Iterator[Any]:
    """Variables, layers, metrics and seed generators held by a layer directly or in its containers, each once."""
    seen: set[int] = set()
    for variable in layer._own_variables:
        seen.add(id(variable))
        yield variable
    for name, value in list(vars(layer).items()):
        if type(value) in _ATOMS or name in MACHINERY:
            continue
        yield from _members_of(value, seen)


def _members_of(value: Any, seen: set[int]) -> Iterator[Any]:
    if type(value) in _ATOMS:
        return
    if isinstance(value, (Variable, SeedGenerator)) or _is_layer(value) or is_metric(value):
        if id(value) not in seen:
            seen.add(id(value))
            yield value
    elif isinstance(value, dict):
        if value and id(value) not in seen:
            seen.add(id(value))
            for item in list(value.values()):
                yield from _members_of(item, seen)
    elif isinstance(value, (list, tuple, set)):
        if value and id(value) not in seen:
            seen.add(id(value))
            for item in list(value):
                yield from _members_of(item, seen)


def _is_layer(x: Any) -> bool:
    return isinstance(x, Operation) and hasattr(x, "_own_variables")


def sublayers(layer: Any) -> list[Any]:
    """The layers directly below, in the order of the attributes that hold them."""
    return [x for x in members(layer) if _is_layer(x)]


def metrics(layer: Any) -> list[Any]:
    """The metrics directly below."""
    return [x for x in members(layer) if is_metric(x) and not _is_layer(x)]


def named_members(layer: Any) -> Iterator[tuple[str, Any]]:
    """Variables and layers directly below with names: the attribute's, and an index or key within a container."""
    seen: set[int] = set()

    def walk(name: str, value: Any) -> Iterator[tuple[str, Any]]:
        if type(value) in _ATOMS or id(value) in seen:
            return
        if isinstance(value, SeedGenerator):
            value = value.state
        if isinstance(value, Variable) or _is_layer(value):
            seen.add(id(value))
            yield name, value
        elif isinstance(value, (list, tuple, dict)):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for key, item in list(items):
                yield from walk(f"{name}_{key}", item)

    for name, value in list(vars(layer).items()):
        if name not in MACHINERY:
            yield from walk(name, value)
    for variable in layer._own_variables:
        yield from walk(variable.name, variable)


def flatten_layers(layer: Any, include_self: bool = True) -> list[Any]:
    """The layer and all below it, parents first, each once."""
    found: list[Any] = []
    seen: set[int] = set()
    stack = [layer]
    while stack:
        current = stack.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        found.append(current)
        stack.extend(reversed(current._sublayers()))
    return found if include_self else found[1:]


def own_variables(layer: Any) -> tuple[list[Variable], list[Variable]]:
    """The layer's own trainable and other variables, in the order they were created."""
    found = [x for x in members(layer) if isinstance(x, Variable)]
    trainable = [v for v in found if v.trainable_at_creation]
    return trainable, [v for v in found if not v.trainable_at_creation]


def seed_states(layer: Any) -> list[Variable]:
    """The state variables of the layer's seed generators."""
    return [x.state for x in members(layer) if isinstance(x, SeedGenerator)]
