"""Kernels that order elements."""

from __future__ import annotations

from typing import Any

import numpy as np


def _top_k(x: Any, k: int, sorted: bool) -> tuple[Any, Any]:
    # Descending and stable: ascending of the reversed axis, reversed.
    n = x.shape[-1]
    if k > n or k < 0:
        raise ValueError(f"k is {k}, but the last axis has {n} elements.")
    order = n - 1 - _order(_ordered(x)[..., ::-1], -1)[..., ::-1][..., :k]
    return np.take_along_axis(x, order, axis=-1), order.astype(np.int32)


def _ordered(x: Any) -> Any:
    """bfloat16 is no dtype of NumPy's own, and NaN would stay wherever it stands."""
    return x.astype(np.float32) if x.dtype.kind == "V" or x.dtype.name == "bfloat16" else x


_LARGE = 1 << 12  # elements from which the second look is worth it


def _order(x: Any, axis: Any) -> Any:
    """A stable `argsort`. Of floats, which are rarely equal, the other kind mostly does, in a third of the time."""
    if x.size < _LARGE or axis is None or x.dtype.char not in "fd" or np.isnan(x).any():
        return np.argsort(x, axis, kind="stable")
    rows = np.ascontiguousarray(np.moveaxis(x, axis, -1))
    order = np.argsort(rows, -1)
    ordered = np.take_along_axis(rows, order, -1)
    again = (ordered[..., 1:] == ordered[..., :-1]).any(-1)
    if again.any():
        order[again] = np.argsort(rows[again], -1, kind="stable")
    return np.moveaxis(order, -1, axis)


TABLE = {
    "sort": lambda x, axis: np.sort(_ordered(x), axis).astype(x.dtype, copy=False),  # equal numbers are one
    "argsort": lambda x, axis: _order(_ordered(x), axis).astype(np.int32),
    "argpartition": lambda x, kth, axis: np.argpartition(_ordered(x), kth, axis).astype(np.int32),
    "top_k": _top_k,
    "searchsorted": lambda s, v, side: np.searchsorted(_ordered(s), _ordered(v), side).astype(np.int32),
}
