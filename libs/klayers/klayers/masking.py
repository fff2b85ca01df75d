"""Masks that travel with tensors from layer to layer.

A mask is kept as an attribute of the tensor where its class allows that, else in a table beside it that forgets when
the tensor dies. Nothing is looked up before the first mask of the process has been set.
"""

from __future__ import annotations

import weakref
from typing import Any

from kops import tree

_ATTRIBUTE = "_keras_mask"
_table: dict[int, tuple[Any, Any]] = {}
# One-element list: read on the fast path of every layer call.
in_use: list[bool] = []


def get_mask(x: Any) -> Any:
    """The mask of a tensor, or None."""
    mask = getattr(x, _ATTRIBUTE, None)
    if mask is None and _table:
        entry = _table.get(id(x))
        if entry is not None and entry[0]() is x:
            return entry[1]
    return mask


def set_mask(x: Any, mask: Any) -> None:
    """Attach a mask to a tensor; None leaves it as it is."""
    if mask is None or x is None:
        return
    if not in_use:
        in_use.append(True)
    try:
        setattr(x, _ATTRIBUTE, mask)
    except AttributeError:
        key = id(x)
        try:
            _table[key] = (weakref.ref(x, lambda _: _table.pop(key, None)), mask)
        except TypeError:  # neither attributes nor weak references (NumPy scalars): such a tensor carries no mask
            return


def get_masks(structure: Any) -> Any:
    """The masks of a structure of tensors, in the same structure."""
    return tree.map_structure(get_mask, structure)


def any_mask(masks: Any) -> bool:
    return any(m is not None for m in tree.flatten(masks))


def set_masks(outputs: Any, masks: Any) -> None:
    """Attach masks to tensors of the same structure."""
    if masks is None:
        return
    for x, mask in zip(tree.flatten(outputs), tree.flatten(masks)):
        set_mask(x, mask)
