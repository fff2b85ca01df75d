"""Questions about the arguments of a layer's call."""

from __future__ import annotations

from typing import Any

from kops import tree
from kops.engine import engine


def is_mask(name: str) -> bool:
    return name == "mask" or name.endswith("_mask")


def is_text(x: Any) -> bool:
    kind = getattr(getattr(x, "dtype", None), "kind", "")
    return kind in ("U", "S", "O", "T")


def all_numbers(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return bool(x) and all(all_numbers(v) for v in x)
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def has_shape(x: Any) -> bool:
    leaves = tree.flatten(x)
    return (
        bool(leaves)
        and all(hasattr(v, "shape") for v in leaves if v is not None)
        and any(v is not None for v in leaves)
    )


def shape_of(x: Any) -> Any:
    e = engine()

    def one(leaf: Any) -> Any:
        if leaf is None:
            return None
        return tuple(e.shape(leaf)) if e.is_tensor(leaf) else tuple(leaf.shape)

    return tree.map_structure(one, x) if tree.is_nested(x) else one(x)


def shapes_for_config(arguments: dict[str, Any]) -> Any:
    shapes = {f"{n}_shape": shape_of(x) for n, x in arguments.items() if has_shape(x)}
    return next(iter(shapes.values())) if len(shapes) == 1 else shapes or None
