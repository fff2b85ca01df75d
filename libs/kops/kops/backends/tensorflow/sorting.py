"""Kernels that order elements."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def _number(x: Any) -> Any:
    return tf.cast(x, tf.int32) if x.dtype == tf.bool else x


def _flat(x: Any, axis: int | None) -> tuple[Any, int]:
    return (tf.reshape(x, [-1]), 0) if axis is None else (x, axis)


def _sort(x: Any, axis: int | None) -> Any:
    x, axis = _flat(x, axis)
    return tf.cast(tf.sort(_number(x), axis=axis), x.dtype)


def _argsort(x: Any, axis: int | None) -> Any:
    x, axis = _flat(_number(x), axis)
    return tf.argsort(x, axis=axis, stable=True)


def _top_k(x: Any, k: int, sorted: bool) -> tuple[Any, Any]:
    values, indices = tf.math.top_k(_number(x), k, sorted=sorted)
    return tf.cast(values, x.dtype), indices


def _searchsorted(s: Any, v: Any, side: str) -> Any:
    s, v = _number(s), _number(v)
    if s.dtype in (tf.float16, tf.bfloat16):
        s, v = tf.cast(s, tf.float32), tf.cast(v, tf.float32)
    found = tf.searchsorted(s, tf.reshape(v, [-1]), side=side)
    return tf.reshape(found, tf.shape(v))


TABLE = {
    "sort": _sort,
    "argsort": _argsort,
    "argpartition": lambda x, kth, axis: _argsort(x, axis),  # a full order is a partition, too
    "top_k": _top_k,
    "searchsorted": _searchsorted,
}
