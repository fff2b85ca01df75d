"""`unique` with a fixed number of results: NumPy's, cut or filled up. TensorFlow calls it on the host, too."""

from __future__ import annotations

from typing import Any

import numpy as np


def unique(x: Any, ordered: bool, index: bool, inverse: bool, counts: bool, axis: Any, size: Any, fill: Any) -> Any:
    find: Any = np.unique
    found = find(x.astype(np.float32) if x.dtype.name == "bfloat16" else x, index, inverse, counts, axis)
    values, *extras = found if isinstance(found, tuple) else (found,)
    values = values.astype(x.dtype, copy=False)
    if size is not None:
        values = _sized(values, size, 0 if axis is None else axis, fill)
    if not extras:
        return values
    if inverse:
        extras[index] = extras[index].reshape(x.shape if axis is None else (x.shape[axis],))
    if size is not None:
        if index:
            extras[0] = _sized(extras[0], size, 0, None)
        if counts:
            extras[-1] = _sized(extras[-1], size, 0, 0)
    return (values, *[a.astype(np.int32) for a in extras])


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
