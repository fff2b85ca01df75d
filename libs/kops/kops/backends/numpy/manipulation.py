"""Kernels that arrange elements anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.dims import full, pad_pairs, repeats_of, target


def _pad(x: Any, pad_width: Any, mode: str, constant_values: Any) -> Any:
    pairs = pad_pairs(pad_width, x.ndim)
    if mode != "constant":
        return np.pad(x, pairs, mode=mode)  # type: ignore[call-overload]
    return np.pad(x, pairs, constant_values=0 if constant_values is None else constant_values)


TABLE = {
    "reshape": lambda x, newshape: np.reshape(x, target(newshape)),
    "ravel": np.ravel,
    "transpose": np.transpose,
    "swapaxes": np.swapaxes,
    "moveaxis": np.moveaxis,
    "expand_dims": np.expand_dims,
    "squeeze": lambda x, axis: np.squeeze(x, tuple(axis) if isinstance(axis, list) else axis),
    "concatenate": np.concatenate,
    "stack": np.stack,
    "split": np.split,
    "unstack": lambda x, num, axis: list(np.moveaxis(x, axis, 0)),
    "tile": np.tile,
    "repeat": lambda x, repeats, axis: np.repeat(x, repeats_of(repeats), axis),
    "broadcast_to": lambda x, shape: np.broadcast_to(x, full(shape, x.shape)),
    "flip": lambda x, axis: np.flip(x, tuple(axis) if isinstance(axis, list) else axis),
    "roll": np.roll,
    "pad": _pad,
}
