"""Nested structures (lists, tuples, named tuples, dicts, registered classes) as trees of leaves. Built on optree."""

from __future__ import annotations

from typing import Any, Callable

import optree

from kspec import public

_NAMESPACE = "keras"
_OPTIONS: dict[str, Any] = {"none_is_leaf": True, "namespace": _NAMESPACE}


@public("keras.tree.MAP_TO_NONE")
class MAP_TO_NONE:
    """What a function given to `traverse` returns to put None in a place (None itself means: go on inside)."""


@public("keras.tree.is_nested")
def is_nested(structure: Any) -> bool:
    """Whether `structure` is a container and not a leaf."""
    return isinstance(structure, (list, tuple, dict)) or not optree.tree_is_leaf(
        structure, none_is_leaf=True, namespace=_NAMESPACE
    )


@public("keras.tree.flatten")
def flatten(structure: Any) -> list[Any]:
    """The leaves, in order; dictionaries by sorted key. None is a leaf."""
    if type(structure) in _PLAIN_LEAVES:
        return [structure]
    return optree.tree_leaves(structure, none_is_leaf=True, namespace=_NAMESPACE)  # ** takes longer


_PLAIN_LEAVES = frozenset({int, float, str, bool, type(None)})


@public("keras.tree.flatten_with_path")
def flatten_with_path(structure: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Pairs `(path, leaf)`, a path being the keys and indices that lead to the leaf."""
    paths, leaves, _ = optree.tree_flatten_with_path(structure, **_OPTIONS)
    return list(zip(paths, leaves))


@public("keras.tree.map_structure")
def map_structure(func: Callable[..., Any], *structures: Any, none_is_leaf: bool = True) -> Any:
    """Apply `func` to the leaves of equal structures, keeping the structure.

    Args:
        func: takes one leaf of each structure.
        *structures: trees of the same shape.
        none_is_leaf: whether `func` sees None; otherwise None stays None.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, not {type(func).__name__}.")
    if not structures:
        raise ValueError("map_structure needs at least one structure.")
    if len(structures) == 1 and not is_nested(structures[0]):
        x = structures[0]
        return x if x is None and not none_is_leaf else func(x)
    for other in structures[1:]:
        assert_same_structure(structures[0], other)
    if not none_is_leaf:
        return optree.tree_map(lambda *xs: None if all(x is None for x in xs) else func(*xs), *structures, **_OPTIONS)
    return optree.tree_map(func, *structures, none_is_leaf=True, namespace=_NAMESPACE)


@public("keras.tree.map_structure_up_to")
def map_structure_up_to(shallow_structure: Any, func: Callable[..., Any], *structures: Any) -> Any:
    """Like `map_structure`, but whatever lies below a leaf of `shallow_structure` is passed whole."""
    if not structures:
        raise ValueError("map_structure_up_to needs at least one structure.")
    if not is_nested(shallow_structure):
        return func(*structures)
    treedef = optree.tree_structure(shallow_structure, **_OPTIONS)
    columns = [_flatten_up_to(treedef, s) for s in structures]
    return optree.tree_unflatten(treedef, [func(*leaves) for leaves in zip(*columns)])


def _flatten_up_to(treedef: Any, structure: Any) -> list[Any]:
    try:
        return treedef.flatten_up_to(structure)
    except (ValueError, TypeError) as error:
        raise ValueError(f"The structures do not match: {error}") from error


@public("keras.tree.map_shape_structure")
def map_shape_structure(func: Callable[[Any], Any], structure: Any) -> Any:
    """Apply `func` to the shapes (tuples or lists of dimensions) in a nested structure of shapes."""

    def is_shape(x: Any) -> bool:
        return isinstance(x, (tuple, list)) and all(isinstance(d, (int, type(None))) for d in x)

    if is_shape(structure):
        return func(tuple(structure))
    if isinstance(structure, dict):
        return {k: map_shape_structure(func, v) for k, v in structure.items()}
    if isinstance(structure, (list, tuple)):
        return type(structure)([map_shape_structure(func, v) for v in structure])
    raise ValueError(f"{structure!r} is neither a shape nor a structure of shapes.")


@public("keras.tree.traverse")
def traverse(func: Callable[[Any], Any], structure: Any, top_down: bool = True) -> Any:
    """Apply `func` to containers as well as to leaves.

    A result other than None replaces the (sub)structure; None leaves it and, top down, goes on inside. Use
    `MAP_TO_NONE` to put a None.
    """
    result = func(structure) if top_down else None
    if result is None and is_nested(structure):
        children, treedef = optree.tree_flatten(structure, is_leaf=lambda x: x is not structure, **_OPTIONS)
        structure = optree.tree_unflatten(treedef, [traverse(func, c, top_down) for c in children])
    if not top_down:
        result = func(structure)
    if result is None:
        return structure
    return None if result is MAP_TO_NONE else result


@public("keras.tree.assert_same_structure")
def assert_same_structure(a: Any, b: Any, check_types: Any = None) -> None:
    """Raise `ValueError` unless both have the same nesting, keys and lengths (lists and tuples differ)."""
    sa = optree.tree_structure(a, **_OPTIONS)
    sb = optree.tree_structure(b, **_OPTIONS)
    if sa != sb:
        raise ValueError(f"The structures do not match: {_show(sa)} and {_show(sb)}.")


@public("keras.tree.assert_same_paths")
def assert_same_paths(a: Any, b: Any) -> None:
    """Raise `ValueError` unless the leaves of both have the same paths."""
    pa = {p for p, _ in flatten_with_path(a)}
    pb = {p for p, _ in flatten_with_path(b)}
    if pa != pb:
        raise ValueError(
            f"Paths only in the first: {sorted(map(str, pa - pb))}; only in the second: {sorted(map(str, pb - pa))}."
        )


def _show(treedef: Any) -> str:
    return (
        str(treedef)
        .replace("PyTreeSpec(", "")
        .replace(", NoneIsLeaf", "")
        .replace(f", namespace={_NAMESPACE!r}", "")
        .rstrip(")")
    )


@public("keras.tree.pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """A structure like `structure` with the leaves of `flat_sequence`."""
    treedef = optree.tree_structure(structure, **_OPTIONS)
    flat = list(flat_sequence)
    if len(flat) != treedef.num_leaves:
        raise ValueError(f"The structure has {treedef.num_leaves} leaves but the sequence has {len(flat)}.")
    return optree.tree_unflatten(treedef, flat)


def packer(structure: Any) -> Callable[[Any], Any]:
    """`pack_sequence_as(structure, _)` made ready for many calls; plain containers need no library at run time."""
    build = _packer(structure, iter(range(len(flatten(structure)))))
    return build if build is not None else lambda flat: pack_sequence_as(structure, flat)


def _packer(structure: Any, places: Any) -> Callable[[Any], Any] | None:
    if type(structure) in (list, tuple):
        parts = [_packer(s, places) for s in structure]
        make: Any = type(structure)
        return None if None in parts else lambda flat: make([p(flat) for p in parts])  # type: ignore[misc]
    if type(structure) is dict:
        try:
            keys = sorted(structure)
        except TypeError:
            return None
        by_key = {k: _packer(structure[k], places) for k in keys}
        if None in by_key.values():
            return None
        return lambda flat: {k: by_key[k](flat) for k in structure}  # type: ignore[misc]
    if is_nested(structure):
        return None
    place = next(places)
    return lambda flat: flat[place]


@public("keras.tree.lists_to_tuples")
def lists_to_tuples(structure: Any) -> Any:
    """The structure with every list made a tuple."""

    def change(x: Any) -> Any:
        return tuple(lists_to_tuples(v) for v in x) if isinstance(x, list) else None

    return traverse(change, structure)


def register(cls: type, flatten_fn: Callable[[Any], Any], unflatten_fn: Callable[[Any, Any], Any]) -> None:
    """Make instances of `cls` containers of trees.

    Args:
        flatten_fn: `instance -> (children, metadata)`.
        unflatten_fn: `(metadata, children) -> instance`.
    """
    optree.register_pytree_node(cls, flatten_fn, unflatten_fn, namespace=_NAMESPACE)
