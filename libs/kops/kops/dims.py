"""Static arguments about shapes, brought into the one form that kernels want. No engine needed."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def as_tuple(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def ints(x: Any, what: str) -> tuple[int, ...]:
    """One int or several, checked, as a tuple; a dimension that is known only at run time passes."""
    numbers = as_tuple(x.tolist() if isinstance(x, np.ndarray) else x)
    if not all(hasattr(n, "shape") or is_int(n) for n in numbers):
        raise TypeError(f"{what}: an int or several are needed, not {x!r}.")
    return tuple(n if hasattr(n, "shape") else operator.index(n) for n in numbers)


def target(shape: Any) -> Any:
    """A target shape as a tuple with -1 for None."""
    if not isinstance(shape, (tuple, list)):
        return shape if hasattr(shape, "shape") else (shape,) if isinstance(shape, int) else tuple(shape)
    return tuple(-1 if d is None else d for d in shape)


def is_int(d: Any) -> bool:
    return isinstance(d, int) or (hasattr(d, "__index__") and not hasattr(d, "shape"))


def positive(axis: int, ndim: int) -> int:
    return axis + ndim if axis < 0 else axis


def repeats_of(repeats: Any) -> Any:
    """Counts for `repeat`: an int, or a NumPy array of counts."""
    return np.asarray(repeats) if isinstance(repeats, (tuple, list)) else repeats


def shift_pairs(shift: Any, axis: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """`roll`'s shifts and axes, one for each."""
    shifts, axes = as_tuple(shift), as_tuple(axis)
    if len(shifts) == 1:
        shifts *= len(axes)
    elif len(axes) == 1:
        axes *= len(shifts)
    return shifts, axes


def cuts(indices: Any, length: Any) -> list[slice]:
    """The slices between cutting positions."""
    edges = [0, *(int(i) for i in indices), length]
    return [slice(a, b) for a, b in zip(edges, edges[1:])]


# Pad modes that copy elements of the axis: one positions formula for engines without them.
COPYING_PADS = ("reflect", "symmetric", "edge", "wrap")


def pad_positions(i: Any, n: Any, mode: str, minimum: Any, maximum: Any) -> Any:
    """Which element of an axis of length `n` stands at positions `i`, counted from before the axis to after it."""
    if mode == "edge":
        return minimum(maximum(i, 0), n - 1)
    if mode == "wrap":
        return i % n
    if mode == "symmetric":
        i = i % (2 * n)
        return minimum(i, 2 * n - 1 - i)
    period = maximum(2 * n - 2, 1)
    i = i % period
    return minimum(i, period - i) % n  # `% n` for an axis with one element


def other_pad(mode: str, backend: str) -> NotImplementedError:
    return NotImplementedError(
        f"pad with mode={mode!r} is not available on the {backend} backend; "
        f"choose one of constant, {', '.join(COPYING_PADS)}, or compute it with mean/max and concatenate."
    )


def full(shape: Any, have: Any) -> Any:
    """A broadcast target in which unknown entries keep the tensor's own length."""
    if not isinstance(shape, (tuple, list)):
        return (shape,) if isinstance(shape, int) else shape
    if not any(d is None for d in shape):
        return tuple(shape)
    own = (1,) * (len(shape) - len(have)) + tuple(have)
    return tuple(o if d is None else d for d, o in zip(shape, own))


def pad_pairs(pad_width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    """`pad_width` in any of its forms as one `(before, after)` for each axis."""
    if not ndim:
        raise ValueError("a scalar has no axis to pad.")
    if hasattr(pad_width, "tolist"):
        pad_width = pad_width.tolist()
    if is_int(pad_width):
        pad_width = ((pad_width, pad_width),)
    elif not isinstance(pad_width, (tuple, list)):
        pad_width = None
    elif all(is_int(p) for p in pad_width):
        pad_width = ((pad_width[0], pad_width[-1]),) if len(pad_width) in (1, 2) else None
    if pad_width is not None and len(pad_width) == 1:
        pad_width = tuple(pad_width) * ndim
    if pad_width is None or len(pad_width) != ndim or any(len(as_tuple(p)) not in (1, 2) for p in pad_width):
        raise ValueError(
            f"pad_width is an int, a pair, or one (before, after) for each of {ndim} axes; got {pad_width}."
        )
    pairs = tuple((p[0], p[-1]) for p in (ints(p, "pad_width") for p in pad_width))
    if any(n < 0 for p in pairs for n in p):
        raise ValueError(f"pad_width cannot be negative; got {pairs}.")
    return pairs
