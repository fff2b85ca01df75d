"""The walk over a model's nodes, which gives each its place in the weights file.

A node is an object whose class has `save_own_variables` and `load_own_variables` (layers, models,
optimizers). The place of a node is the path of names by which the walk first reaches it; members of a list
or dictionary are named after their class, counted: `dense`, `dense_1`, ..., and containers in containers
`container`, `container_1`, .... Members that were reached before keep their number but not a place.
"""

from __future__ import annotations

import inspect
import re
from typing import Any, Container, Iterable, Iterator


def is_node(obj: Any) -> bool:
    """Whether an object has a place of its own in a weights file."""
    cls = type(obj)
    return hasattr(cls, "save_own_variables") and hasattr(cls, "load_own_variables")


def snake_case(name: str) -> str:
    """The name that Keras gives to objects of a class: `GRUCell` is `gru_cell`, `Conv2D` is `conv2d`."""
    name = re.sub(r"\W+", "", name)
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def attribute_children(obj: Any, skip: Container[str] = ()) -> Iterator[tuple[str, Any]]:
    """The attributes of an object that can hold nodes: public ones by name, then private ones by name.

    Args:
        obj: a node.
        skip: names that belong to the machinery of its base class.
    """
    names = [name for name in dir(obj) if not name.startswith("__") and name not in skip]
    for name in sorted(names, key=lambda name: (name.startswith("_"), name)):
        try:
            value = getattr(obj, name)
        except Exception:
            # A property (or what is like one) may refuse before the object is built or compiled; then it holds no
            # node yet. An attribute that is there and cannot be read is a real error.
            if not hasattr(inspect.getattr_static(type(obj), name, None), "__get__"):
                raise
            continue
        if is_node(value) or isinstance(value, (list, tuple, dict)):
            yield name, value


def children(node: Any) -> Iterable[tuple[str, Any]]:
    """Name and value of what is below a node, in the order that decides places."""
    if hasattr(type(node), "_saveable_children"):
        return node._saveable_children()
    return attribute_children(node)


def walk(root: Any) -> Iterator[tuple[str, Any]]:
    """Path and node of `root` (path "") and all nodes below it, each once.

    Example:
        >>> [path for path, _ in walk(model)]
        ['', 'layers/input_layer', 'layers/dense', 'layers/dense_1', 'optimizer']
    """
    # Values are kept, not only their ids: a property may give a new list each time, and the id of one
    # that is gone is given out again.
    seen: dict[int, Any] = {}
    # A stack instead of recursion: models may be nested deeper than Python's own stack.
    stack: list[Iterator[tuple[str, Any]]] = [iter([("", root)])]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            continue
        path, value = step
        if id(value) in seen:
            continue
        if is_node(value):
            seen[id(value)] = value
            yield path, value
            stack.append(_below(path, children(value)))
        elif isinstance(value, (list, tuple, dict)):
            seen[id(value)] = value
            stack.append(_members(path, value))


def _below(path: str, pairs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    for name, value in pairs:
        yield (f"{path}/{name}" if path else name), value


def _members(path: str, container: Any) -> Iterator[tuple[str, Any]]:
    used: dict[str, int] = {}
    for value in list(container.values() if isinstance(container, dict) else container):
        if is_node(value):
            name = snake_case(type(value).__name__)
        elif isinstance(value, (list, tuple, dict)):
            name = "container"
        else:
            continue
        count = used.get(name, 0)
        used[name] = count + 1
        yield (f"{path}/{name}_{count}" if count else f"{path}/{name}"), value
