"""Kernels that read and write elements by position."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.kernel_tables import kernels
from kops.dims import as_tuple
from kops.item_keys import canonical_key, item_shape


def _get_item(x: Any, key: Any) -> Any:
    key = canonical_key(key)
    if any(e is True or e is False or isinstance(e, np.ndarray) and not e.size for e in as_tuple(key)):
        item_shape(x.shape, key)  # NumPy takes bools as masks, and empty masks for any axis
    return x[key]


def _block(x: Any, starts: Any, shape: Any) -> tuple[slice, ...]:
    starts = [int(s) for s in starts]
    for axis, (s, n) in enumerate(zip(starts, shape)):
        if s < 0 or s + max(n, 0) > x.shape[axis]:
            raise ValueError(f"A slice from {s} of length {n} leaves axis {axis} of length {x.shape[axis]}.")
    return tuple(slice(s, None if n == -1 else s + n) for s, n in zip(starts, shape))


def _slice_update(x: Any, starts: Any, updates: Any) -> Any:
    out = x.copy()
    out[_block(x, starts, updates.shape)] = updates
    return out


def _columns(indices: Any) -> tuple[Any, ...]:
    return tuple(np.moveaxis(indices, -1, 0))


def _scatter(indices: Any, values: Any, shape: Any) -> Any:
    out = np.zeros(shape, values.dtype)
    np.add.at(out, _columns(indices), values)
    return out


_COMBINE = {"add": np.add, "max": np.maximum, "min": np.minimum, "mul": np.multiply}


def _scatter_update(x: Any, indices: Any, updates: Any, reduction: Any) -> Any:
    out = x.copy()
    if reduction is None:
        out[_columns(indices)] = updates
    else:
        _COMBINE[reduction].at(out, _columns(indices), updates)
    return out


def _one_hot(x: Any, num_classes: int, axis: int, dtype: Any, sparse: bool) -> Any:
    if sparse:
        raise NotImplementedError("sparse=True needs an engine with sparse tensors: TensorFlow or JAX.")
    axis = axis + x.ndim + 1 if axis < 0 else axis
    flat = x.ravel()
    inside = np.nonzero((flat >= 0) & (flat < num_classes))[0]
    out = np.zeros((flat.size, num_classes), dtype)
    out[inside, flat[inside]] = 1
    return np.moveaxis(out.reshape(*x.shape, num_classes), -1, axis)


TABLE = {
    **kernels(_get_item, _slice_update, _scatter, _scatter_update, _one_hot),
    "take": np.take,
    "take_along_axis": np.take_along_axis,
    "slice": lambda x, starts, shape: x[_block(x, starts, shape)],
    "nonzero": lambda x: tuple(i.astype(np.int32) for i in np.nonzero(x)),
    "isin": lambda x1, x2, unique, invert: np.isin(x1, x2, assume_unique=unique, invert=invert),
}
