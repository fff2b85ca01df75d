"""Questions about the arguments of a layer's call."""

from __future__ import annotations

from typing import Any

from klayers import masking
from kops import tree
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.ops.core import cast
from kops.tape import TraceTensor


def as_tensor(x: Any, dtype: str) -> Any:
    """An array or tensor of any kind (symbolic and recorded ones too) as a tensor of that dtype; its mask stays."""
    e = engine()
    if isinstance(x, (KerasTensor, TraceTensor)):
        return x if x.dtype == dtype else cast(x, dtype)
    if dtype == "string" or (e.is_tensor(x) and e.dtype_name(x) == dtype):
        return x
    mask = masking.get_mask(x) if masking.in_use else None
    x = e.convert(x, dtype)
    masking.set_mask(x, mask)
    return x


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
