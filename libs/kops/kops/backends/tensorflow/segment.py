"""Kernels of segment reductions."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.backends.numpy.segment import start_of


def _segment(native: Any, reduction: str) -> Any:
    def kernel(data: Any, ids: Any, num: Any, ordered: bool) -> Any:
        if ids.dtype not in (tf.int32, tf.int64):
            ids = tf.cast(ids, tf.int32)
        n = tf.maximum(tf.reduce_max(ids) + 1, 0) if num is None else num
        ids = tf.where(ids >= tf.cast(n, ids.dtype), tf.constant(-1, ids.dtype), ids)
        out = native(data, ids, n)
        if reduction in ("max", "min") and data.dtype.is_floating:
            # TensorFlow gives empty segments the lowest finite number, where the maximum of nothing is -inf.
            rows = tf.math.unsorted_segment_sum(tf.ones_like(ids), ids, n)
            empty = tf.reshape(rows == 0, [-1] + [1] * (data.shape.rank - 1))
            out = tf.where(empty, tf.constant(start_of(reduction, data.dtype.name), data.dtype), out)
        return out

    return kernel


TABLE = {
    "segment_sum": _segment(tf.math.unsorted_segment_sum, "sum"),
    "segment_max": _segment(tf.math.unsorted_segment_max, "max"),
    "segment_min": _segment(tf.math.unsorted_segment_min, "min"),
    "segment_prod": _segment(tf.math.unsorted_segment_prod, "prod"),
}
