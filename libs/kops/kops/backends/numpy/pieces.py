"""Elementwise formulas of many passes, a piece of a large array at a time: what lies between two passes stays in the
processor's cache, and no large array is allocated for it.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

import numpy as np

_SIZE = 1 << 14  # elements of a piece


def in_pieces(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function(x, *static)`, an array of the shape of `x`, computed piece by piece where `x` is large."""

    @functools.wraps(function)
    def kernel(x: Any, *static: Any) -> Any:
        if x.size <= 2 * _SIZE:
            return function(x, *static)
        flat = x.reshape(-1)
        first = function(flat[:_SIZE], *static)
        out = np.empty(x.size, first.dtype)
        out[:_SIZE] = first
        for start in range(_SIZE, x.size, _SIZE):
            out[start : start + _SIZE] = function(flat[start : start + _SIZE], *static)
        return out.reshape(x.shape)

    return kernel
