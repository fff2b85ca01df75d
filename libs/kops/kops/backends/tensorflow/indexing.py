"""Kernels that read and write elements by position."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.backends.kernel_tables import kernels
from kops.backends.tensorflow.eager import holds, kept
from kops.backends.tensorflow.manipulation import length_of
from kops.dims import positive
from kops.item_keys import canonical_key, is_mask, is_plain, item_shape, take_apart


def _get_item(x: Any, key: Any) -> Any:
    if is_plain(key):
        return x[key]
    key = canonical_key(key)
    item_shape(tuple(x.shape), key)  # TensorFlow takes masks of any length and rounds floats
    basic, gathers, position = take_apart(key, x.shape.rank)
    if basic:
        x = x[basic]
    return _gather_axes(x, gathers, position)


def _gather_axes(x: Any, gathers: Any, position: int) -> Any:
    """Advanced indexing of some axes at once."""
    axes: list[int] = []
    arrays: list[Any] = []
    for axis, e in gathers:
        if is_mask(e):
            for i, column in enumerate(tf.unstack(tf.where(e), num=len(e.shape), axis=1)):
                axes.append(axis + i)
                arrays.append(column)
        else:
            e = tf.convert_to_tensor(e)
            axes.append(axis)
            arrays.append(_wrapped(tf.cast(e, tf.int64), length_of(x, axis)))
    if len(axes) == 1:
        taken = tf.gather(x, arrays[0], axis=axes[0])
        return taken if position == axes[0] else _move(taken, axes[0], arrays[0].shape.rank, position)
    rank = x.shape.rank
    x = tf.transpose(x, [*axes, *(a for a in range(rank) if a not in axes)])
    shape = arrays[0].shape
    for a in arrays[1:]:
        shape = tf.broadcast_static_shape(shape, a.shape)
    common = tf.shape(arrays[0])
    for a in arrays[1:]:
        common = tf.broadcast_dynamic_shape(common, tf.shape(a))
    taken = tf.gather_nd(x, tf.stack([tf.broadcast_to(a, common) for a in arrays], axis=-1))
    return _move(taken, 0, shape.rank, position)


def _move(x: Any, source: int, count: int, position: int) -> Any:
    if source == position or not count:
        return x
    moved = list(range(source, source + count))
    rest = [a for a in range(x.shape.rank) if a not in moved]
    return tf.transpose(x, [*rest[:position], *moved, *rest[position:]])


def _wrapped(indices: Any, length: Any) -> Any:
    """Negative positions counted from the end, which tf.gather does not do."""
    if indices.dtype.is_unsigned:
        return tf.cast(indices, tf.int64)
    if indices.dtype not in (tf.int32, tf.int64):
        indices = tf.cast(indices, tf.int32)
    if holds(indices, lambda v: v >= 0):
        return indices
    return tf.where(indices < 0, indices + tf.cast(length, indices.dtype), indices)


def _take(x: Any, indices: Any, axis: int | None) -> Any:
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    return tf.gather(x, _wrapped(indices, length_of(x, axis)), axis=axis)


def _take_along_axis(x: Any, indices: Any, axis: int | None) -> Any:
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    if indices.shape.rank != x.shape.rank:
        raise ValueError("Indices have the dimensions of the tensor.")
    rank = x.shape.rank
    axis = positive(axis, rank)
    indices = _wrapped(indices, length_of(x, axis))
    if x.shape[:axis] + x.shape[axis + 1 :] != indices.shape[:axis] + indices.shape[axis + 1 :]:
        ones = tf.one_hot(axis, rank, on_value=0, off_value=1)  # lengths of all axes but `axis`
        sx, si = tf.shape(x), tf.shape(indices)
        shared = tf.broadcast_dynamic_shape(sx * ones + (1 - ones), si * ones + (1 - ones))
        x = tf.broadcast_to(x, tf.where(ones == 1, shared, sx))
        indices = tf.broadcast_to(indices, tf.where(ones == 1, shared, si))
    last = rank - 1
    if axis != last:
        order = [a for a in range(rank) if a != axis] + [axis]
        back = [*range(axis), last, *range(axis, last)]
        taken = tf.gather(tf.transpose(x, order), tf.transpose(indices, order), batch_dims=last)
        return tf.transpose(taken, back)
    return tf.gather(x, indices, batch_dims=last)


def _slice(x: Any, starts: Any, shape: Any) -> Any:
    begin = kept(starts) if isinstance(starts, (tuple, list)) else starts
    return tf.slice(x, tf.cast(begin, tf.int32), kept(-1 if n is None else n for n in shape))


def _slice_update(x: Any, starts: Any, updates: Any) -> Any:
    plain = isinstance(starts, (list, tuple)) and all(type(s) is int and s >= 0 for s in starts)
    if (plain or holds(starts, lambda v: v >= 0)) and updates.shape.is_fully_defined():
        begin = kept(starts) if plain else tf.cast(starts, tf.int32)
        end = kept(a + n for a, n in zip(starts, updates.shape)) if plain else begin + kept(updates.shape)
        steps = kept((1,) * len(x.shape))
        return tf.raw_ops.TensorStridedSliceUpdate(input=x, begin=begin, end=end, strides=steps, value=updates)
    starts = tf.cast(starts, tf.int32)
    around = tf.stack([starts, tf.shape(x) - starts - tf.shape(updates)], axis=1)
    inside = tf.pad(tf.ones_like(updates, dtype=tf.bool), around)
    out = tf.where(inside, tf.pad(updates, around), x)
    out.set_shape(x.shape)
    return out


def _fit_values(values: Any, indices: Any, shape: Any) -> Any:
    """Updates broadcast to what the indices address."""
    rank = shape.shape[0] if isinstance(shape, tf.Tensor) else len(shape)
    if values.shape.rank == indices.shape.rank - 1 + rank - indices.shape[-1] and values.shape.is_fully_defined():
        if 1 not in values.shape:
            return values
    wanted = tf.concat([tf.shape(indices)[:-1], tf.cast(shape, tf.int32)[indices.shape[-1] :]], 0)
    return tf.broadcast_to(values, wanted)


def _scatter(indices: Any, values: Any, shape: Any) -> Any:
    indices = _wrapped(indices, shape[: indices.shape[-1]])
    return tf.scatter_nd(indices, _fit_values(values, indices, shape), tf.cast(kept(shape), indices.dtype))


_SCATTERS = {
    None: tf.tensor_scatter_nd_update,
    "add": tf.tensor_scatter_nd_add,
    "max": tf.tensor_scatter_nd_max,
    "min": tf.tensor_scatter_nd_min,
}


def _scatter_update(x: Any, indices: Any, updates: Any, reduction: Any) -> Any:
    if indices.shape[-1] == 0:  # all of x is meant, which TensorFlow has no index for
        first = tf.zeros(tf.concat([tf.shape(indices)[:-1], [1]], 0), indices.dtype)
        return _scatter_update(x[None], first, updates, reduction)[0]
    shape = tf.shape(x) if None in x.shape.as_list() else tuple(x.shape)
    indices = _wrapped(indices, shape[: indices.shape[-1]])
    updates = _fit_values(updates, indices, shape)
    if reduction != "mul":
        return _SCATTERS[reduction](x, indices, updates)
    # No kernel multiplies; the product of the updates of each place does.
    depth = indices.shape[-1]
    lead = tf.cast(shape, indices.dtype)[:depth]
    rows = tf.reduce_sum(indices * tf.math.cumprod(lead, exclusive=True, reverse=True), axis=-1)
    factors = tf.math.unsorted_segment_prod(updates, rows, tf.reduce_prod(lead))
    return x * tf.reshape(factors, shape)


def _one_hot(x: Any, num_classes: int, axis: int, dtype: Any, sparse: bool) -> Any:
    if x.dtype not in (tf.uint8, tf.int32, tf.int64, tf.int8):
        x = tf.cast(x, tf.int64)
    if not sparse:
        on, off = (True, False) if dtype == tf.bool else (1, 0)
        return tf.one_hot(x, num_classes, on, off, axis=axis, dtype=dtype)
    rank = x.shape.rank
    axis = positive(axis, rank + 1)
    positions = tf.unstack(tf.where(tf.ones_like(x, dtype=tf.bool)), num=rank, axis=1)
    classes = tf.reshape(tf.cast(x, tf.int64), [-1])
    positions.insert(axis, classes)
    indices = tf.boolean_mask(tf.stack(positions, axis=1), (classes >= 0) & (classes < num_classes))
    lengths = tf.unstack(tf.shape(x, out_type=tf.int64), num=rank)
    lengths.insert(axis, tf.constant(num_classes, tf.int64))
    result = tf.SparseTensor(indices, tf.ones(tf.shape(indices)[0], dtype), tf.stack(lengths))
    return tf.sparse.reorder(result)


TABLE = {
    **kernels(_get_item, _take, _take_along_axis, _slice, _slice_update, _scatter, _scatter_update, _one_hot),
    "_to_sparse": tf.sparse.from_dense,
    "nonzero": lambda x: tuple(tf.cast(c, tf.int32) for c in tf.unstack(tf.where(x), num=x.shape.rank, axis=1)),
}
