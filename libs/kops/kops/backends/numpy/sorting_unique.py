"""`unique` with a fixed number of results: NumPy's, cut or filled up. TensorFlow calls it on the host, too."""

from __future__ import annotations

from typing import Any

import numpy as np


def unique(x: Any, ordered: bool, index: bool, inverse: bool, counts: bool, axis: Any, size: Any, fill: Any) -> Any:
    values, first, which, number = np.unique(
        x.astype(np.float32) if x.dtype.name == "bfloat16" else x,
        return_index=True,
        return_inverse=True,
        return_counts=True,
        axis=axis,
    )
    values = values.astype(x.dtype, copy=False)
    which = which.reshape(x.shape if axis is None else (x.shape[axis],))
    along = 0 if axis is None else axis
    if size is not None:
        values = _sized(values, size, along, fill)
        first = _sized(first, size, 0, None)
        number = _sized(number, size, 0, 0)
    extras = [a.astype(np.int32) for a, wanted in ((first, index), (which, inverse), (number, counts)) if wanted]
    return (values, *extras) if extras else values


def _sized(x: Any, size: int, axis: int, fill: Any) -> Any:
    n = x.shape[axis]
    if n >= size:
        return np.take(x, range(size), axis)
    if n == 0 and fill is None:
        fill = 0
    filler = np.take(x, [0], axis) if fill is None else np.asarray(fill, x.dtype)
    shape = list(x.shape)
    shape[axis] = size - n
    return np.concatenate([x, np.broadcast_to(filler, shape)], axis)


TABLE = {"unique": unique}
