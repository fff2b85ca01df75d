"""Kernels that order elements."""

from __future__ import annotations

from typing import Any

import numpy as np


def _top_k(x: Any, k: int, sorted: bool) -> tuple[Any, Any]:
    # Descending and stable: ascending of the reversed axis, reversed.
    n = x.shape[-1]
    if k > n or k < 0:
        raise ValueError(f"k is {k}, but the last axis has {n} elements.")
    order = n - 1 - np.argsort(_ordered(x)[..., ::-1], axis=-1, kind="stable")[..., ::-1][..., :k]
    return np.take_along_axis(x, order, axis=-1), order.astype(np.int32)


def _ordered(x: Any) -> Any:
    """bfloat16 is no dtype of NumPy's own, and NaN would stay wherever it stands."""
    return x.astype(np.float32) if x.dtype.kind == "V" or x.dtype.name == "bfloat16" else x


TABLE = {
    "sort": lambda x, axis: np.sort(_ordered(x), axis).astype(x.dtype, copy=False),  # equal numbers are one
    "argsort": lambda x, axis: np.argsort(_ordered(x), axis, kind="stable").astype(np.int32),
    "argpartition": lambda x, kth, axis: np.argpartition(_ordered(x), kth, axis).astype(np.int32),
    "top_k": _top_k,
    "searchsorted": lambda s, v, side: np.searchsorted(_ordered(s), _ordered(v), side).astype(np.int32),
}
