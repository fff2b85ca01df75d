"""Keys of `x[key]`: the shape they give, and basic and advanced indexing taken apart."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from kops.dtypes import INTS, standardize_dtype
from kops.shapes import Shape, broadcast_shapes

FULL = slice(None)


def is_plain(key: Any) -> bool:
    """Whether only ints, slices, None and Ellipsis stand in the key: basic indexing."""
    entries = key if type(key) is tuple else (key,)
    for e in entries:
        if not (e is None or e is Ellipsis or isinstance(e, (int, slice))) or isinstance(e, bool):
            return False
    return sum(e is Ellipsis for e in entries) < 2


def canonical_key(key: Any) -> Any:
    """The key with lists as NumPy arrays. In files lists are written for tuples, so lists may not stay."""
    if isinstance(key, list):
        return np.asarray(key)
    if isinstance(key, tuple):
        return tuple(np.asarray(e) if isinstance(e, list) else e for e in key)
    return key


def entries_of(key: Any, ndim: int) -> list[Any]:
    """One entry for each axis (a mask stands for several) and for each new axis; no Ellipsis."""
    entries = list(key) if isinstance(key, tuple) else [key]
    entries = [np.asarray(e) if isinstance(e, list) else e for e in entries]
    if any(isinstance(e, (bool, np.bool_)) for e in entries):
        raise TypeError("a single True or False is no index; a mask has the shape of the axes it selects from.")
    for e in entries:
        if not (e is None or e is Ellipsis or isinstance(e, slice) or _is_int(e) or is_array(e)):
            raise TypeError(f"an index is an int, a slice, None, ... or a tensor of ints or bools, not {e!r}.")
    gaps = [i for i, e in enumerate(entries) if e is Ellipsis]
    used = sum(_axes_of(e) for e in entries)
    if len(gaps) > 1:
        raise IndexError("an index may have one Ellipsis (...).")
    if used > ndim:
        raise IndexError(f"{used} indices are too many for a tensor with {ndim} dimensions.")
    at = gaps[0] if gaps else len(entries)
    return [*entries[:at], *[FULL] * (ndim - used), *entries[at + len(gaps) :]]


def is_array(e: Any) -> bool:
    # Types first: torch.compile follows no hasattr on slices.
    return not (e is None or e is Ellipsis or isinstance(e, (slice, int, float))) and hasattr(e, "shape")


def is_mask(e: Any) -> bool:
    if not is_array(e):
        return False
    return (getattr(e.dtype, "name", None) or str(e.dtype).rpartition(".")[2]) in ("bool", "boolean")


def _axes_of(e: Any) -> int:
    if e is None or e is Ellipsis:
        return 0
    return len(e.shape) if is_mask(e) else 1


def _is_int(e: Any) -> bool:
    return isinstance(e, int) or (not isinstance(e, slice) and not hasattr(e, "shape") and hasattr(e, "__index__"))


def item_shape(shape: Shape, key: Any) -> Shape:
    """The shape of `x[key]`.

    Raises:
        IndexError: for an int outside of its axis, or too many indices.
        TypeError: for what is no index.
    """
    entries = entries_of(key, len(shape))
    advanced = any(is_array(e) for e in entries)
    result: list[int | None] = []
    arrays: list[Shape] = []
    places: list[int] = []
    axis = 0
    position = 0
    for number, e in enumerate(entries):
        if e is None:
            result.append(1)
        elif isinstance(e, slice):
            result.append(_slice_length(e, shape[axis]))
            axis += 1
        else:
            if _is_int(e):
                _check_bounds(operator.index(e), shape[axis], axis)
                arrays.append(())
            elif is_mask(e):
                _check_mask(e, shape, axis)
                arrays.append((None,))
            else:
                if standardize_dtype(e.dtype) not in INTS:
                    raise TypeError(f"an index is of integers or bools, not {standardize_dtype(e.dtype)}.")
                arrays.append(tuple(e.shape))
            if not places:
                position = len(result)
            places.append(number)
            axis += _axes_of(e)
    if not advanced:
        return tuple(result)
    selected = broadcast_shapes(*arrays)
    if places[-1] - places[0] + 1 != len(places):
        position = 0  # NumPy's rule: separated index arrays put their axes in front
    return (*result[:position], *selected, *result[position:])


def _check_bounds(i: int, length: int | None, axis: int) -> None:
    if length is not None and not -length <= i < length:
        raise IndexError(f"index {i} is out of range for axis {axis} of length {length}.")


def _check_mask(e: Any, shape: Shape, axis: int) -> None:
    for i, d in enumerate(e.shape):
        have = shape[axis + i]
        if None not in (d, have) and d != have:
            raise IndexError(f"a mask of shape {tuple(e.shape)} does not fit axis {axis + i} of length {have}.")


def _slice_length(s: slice, length: int | None) -> int | None:
    if not all(v is None or hasattr(v, "__index__") and not hasattr(v, "shape") for v in (s.start, s.stop, s.step)):
        return None
    if s.step == 0:
        raise ValueError("the step of a slice cannot be 0.")
    if length is not None:
        return len(range(*s.indices(length)))
    return None


def take_apart(key: Any, ndim: int) -> tuple[tuple[Any, ...], list[tuple[int, Any]], int]:
    """An advanced key in two steps, for engines without it.

    Returns:
        A basic key; what is then to be gathered, as `(axis after the basic step, ints or mask)`; and the position of
        the gathered axes in the result.
    """
    entries = entries_of(key, ndim)
    basic: list[Any] = []
    gathers: list[tuple[int, Any]] = []
    places: list[int] = []
    position = 0
    for number, e in enumerate(entries):
        if e is None or isinstance(e, slice):
            basic.append(e)
            continue
        if not places:
            position = len(basic)
        places.append(number)
        gathers.append((len(basic), e))
        basic.extend([FULL] * _axes_of(e))
    if places[-1] - places[0] + 1 != len(places):
        position = 0
    return tuple(basic), gathers, position
