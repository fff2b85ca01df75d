"""Kernels that order elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from kops.backends.kernel_tables import kernels
from kops.backends.tensorflow.eager import holds, no_nan
from kops.backends.tensorflow.graphs import formula


def _number(x: Any) -> Any:
    return tf.cast(x, tf.int32) if x.dtype is tf.bool else x


def _flat(x: Any, axis: int | None) -> tuple[Any, int]:
    return (tf.reshape(x, [-1]), 0) if axis is None else (x, axis)


def _sort(x: Any, axis: int | None) -> Any:
    x, axis = _flat(x, axis)
    if not x.dtype.is_floating:
        return tf.cast(tf.sort(_number(x), axis=axis), x.dtype)
    if no_nan(x):
        return tf.sort(x, axis)
    # TensorFlow leaves NaN anywhere; it belongs to the end.
    missing = tf.math.is_nan(x)
    ordered = tf.sort(tf.where(missing, tf.constant(float("inf"), x.dtype), x), axis=axis)
    size, rank = tf.shape(x)[axis], len(x.shape)
    place = tf.reshape(tf.range(size), [-1 if i == axis % rank else 1 for i in range(rank)])
    last = place >= size - tf.reduce_sum(tf.cast(missing, tf.int32), axis, keepdims=True)
    return tf.where(last, tf.constant(float("nan"), x.dtype), ordered)


def _argsort(x: Any, axis: int | None) -> Any:
    x, axis = _flat(_number(x), axis)
    return tf.argsort(_rank(x) if x.dtype.is_floating and not no_nan(x) else x, axis=axis, stable=True)


def _rank(x: Any) -> Any:
    """Integers in the order of the numbers, their own bits, NaN last: TensorFlow would leave that anywhere."""
    if x.dtype.size == 2:
        x = tf.cast(x, tf.float32)
    whole = tf.int32 if x.dtype == tf.float32 else tf.int64
    bits = tf.bitcast(tf.where(x == 0, tf.zeros_like(x), x), whole)
    bits = tf.where(bits < 0, tf.bitwise.bitwise_xor(bits, tf.constant(whole.max, whole)), bits)
    return tf.where(tf.math.is_nan(x), tf.constant(whole.max, whole), bits)


def _top_k(x: Any, k: int, sorted: bool) -> tuple[Any, Any]:
    values, indices = tf.math.top_k(_number(x), k, sorted=sorted)
    return tf.cast(values, x.dtype), indices


def _searchsorted(s: Any, v: Any, side: str) -> Any:
    if s.shape.rank != 1:
        raise ValueError("The sequence has one dimension.")
    s, v = _number(s), _number(v)
    if s.dtype in (tf.float16, tf.bfloat16):
        s, v = tf.cast(s, tf.float32), tf.cast(v, tf.float32)
    flat = tf.reshape(v, [-1])
    if not s.dtype.is_floating or no_nan(s) and no_nan(v):
        return tf.reshape(tf.searchsorted(s, flat, side=side), tf.shape(v))
    # NaN is above everything else, which TensorFlow's bisection does not know.
    missing = tf.math.is_nan(s)
    count = tf.reduce_sum(tf.cast(~missing, tf.int32))
    s = tf.where(missing, tf.constant(float("inf"), s.dtype), s)
    found = tf.minimum(tf.searchsorted(s, flat, side=side), count)
    top = count if side == "left" else tf.size(s)
    return tf.reshape(tf.where(tf.math.is_nan(flat), top, found), tf.shape(v))


def _in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    # The kernel counts positions from the front only, and answers False where anything in a row is not finite.
    classes = predictions.shape[-1]
    same = targets.shape[0] == predictions.shape[0] and targets.dtype in (tf.int32, tf.int64)
    if same and predictions.dtype == tf.float32 and holds(targets, lambda t: (t >= 0) & (t < classes)):
        if holds(predictions, np.isfinite):
            return tf.math.in_top_k(targets, predictions, k)
    return formula("in_top_k")(targets, predictions, k)


TABLE = {
    **kernels(_sort, _argsort, _in_top_k, _top_k, _searchsorted),
    "argpartition": lambda x, kth, axis: _argsort(x, axis),  # a full order is a partition, too
}
