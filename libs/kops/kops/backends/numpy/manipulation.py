"""Kernels that arrange elements anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.kernel_tables import native
from kops.dims import full, pad_pairs, repeats_of, target


def _pad(x: Any, pad_width: Any, mode: str, constant_values: Any) -> Any:
    pairs = pad_pairs(pad_width, x.ndim)
    if mode != "constant":
        return np.pad(x, pairs, mode=mode)  # type: ignore[call-overload]
    return surrounded(x, pairs, 0 if constant_values is None else constant_values)


def surrounded(x: Any, pairs: Any, value: Any) -> Any:
    """`np.pad` with a constant, in a fifth of its time for small arrays."""
    shape = [before + n + after for n, (before, after) in zip(x.shape, pairs)]
    out = np.full(shape, value, x.dtype) if np.any(value) else np.zeros(shape, x.dtype)
    out[tuple([slice(before, before + n) for n, (before, _) in zip(x.shape, pairs)])] = x
    return out


TABLE = {
    **native(np, "ravel transpose swapaxes moveaxis expand_dims concatenate stack split tile roll"),
    "reshape": lambda x, newshape: np.reshape(x, target(newshape)),
    "squeeze": lambda x, axis: np.squeeze(x, tuple(axis) if isinstance(axis, list) else axis),
    "unstack": lambda x, num, axis: list(np.moveaxis(x, axis, 0)),
    "repeat": lambda x, repeats, axis: np.repeat(x, repeats_of(repeats), axis),
    "broadcast_to": lambda x, shape: np.broadcast_to(x, full(shape, x.shape)),
    "flip": lambda x, axis: np.flip(x, tuple(axis) if isinstance(axis, list) else axis),
    "pad": _pad,
}
