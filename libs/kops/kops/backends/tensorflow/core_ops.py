"""Kernels of `kops.ops.core` and `kops.ops.creation`."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from kops.backends.kernel_tables import kernels, native
from kops.backends.tensorflow.core import exactly


def _full(shape: Any, value: Any, dtype: Any) -> Any:
    return tf.fill(shape, exactly(value, dtype))


def _full_like(x: Any, value: Any, dtype: Any) -> Any:
    return tf.broadcast_to(value, tf.shape(x))


def _band(shape: Any, low: Any, high: Any, dtype: Any) -> Any:
    distance = tf.range(shape[1])[None, :] - tf.range(shape[0])[:, None]
    inside = distance <= high if low is None else (distance >= low) & (distance <= high)
    return tf.cast(inside, dtype)


def _eye(shape: Any, k: int, dtype: Any) -> Any:
    return _band(shape, k, k, dtype)


def _tri(shape: Any, k: int, dtype: Any) -> Any:
    return _band(shape, None, k, dtype)


def _arange(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    # tf.range knows four dtypes and wants one for all its arguments.
    known = dtype in (tf.int32, tf.int64, tf.float32, tf.float64)
    wide = dtype if known else tf.float32 if dtype.is_floating else tf.int64
    ends = (start, stop, step)
    floats = [x.dtype.is_floating if tf.is_tensor(x) else np.asarray(x).dtype.kind == "f" for x in ends]
    if wide.is_integer and any(floats):
        wide = tf.float64
    return tf.cast(tf.range(*(exactly(x, wide) for x in ends)), dtype)


def _view(x: Any, dtype: Any) -> Any:
    old, new = x.dtype.size, dtype.size
    shape = tf.shape(x)
    if x.dtype == tf.bool or dtype == tf.bool:
        raise NotImplementedError("TensorFlow cannot view bools as other dtypes. Use cast.")
    if new > old:
        x = tf.reshape(x, tf.concat([shape[:-1], [-1, new // old]], 0))
    out = tf.bitcast(x, dtype)
    if new < old:
        out = tf.reshape(out, tf.concat([shape[:-1], [shape[-1] * (old // new)]], 0))
    return out


TABLE = {
    **native(tf, "copy=identity empty=zeros ones ones_like zeros zeros_like"),
    **kernels(_arange, _eye, _full, _full_like, _tri, _view),
}
