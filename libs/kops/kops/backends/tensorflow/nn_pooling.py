"""Pooling kernels, with channels last as convolutions."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops import windows
from kops.backends.tensorflow.nn_conv import from_last, to_last

_POOLS = {"MAX": (tf.nn.max_pool2d, tf.nn.max_pool3d), "AVG": (tf.nn.avg_pool2d, tf.nn.avg_pool3d)}


def _pool(x: Any, kind: str, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    g, window = windows.pooling(len(x.shape), pool_size, strides, padding, data_format)
    sizes = windows.slide(x.shape, window, windows.channels(x.shape, g), g)
    if 0 in sizes:
        return tf.zeros([0 if d is None else d for d in sizes], x.dtype)
    dtype = x.dtype
    # CPU kernels are for these only; a float64 holds every int of up to 53 bits.
    wide = x if dtype in (tf.float32, tf.float64) else tf.cast(x, tf.float32 if dtype.is_floating else tf.float64)
    wide = to_last(wide, g)
    if g.n == 3 and wide.dtype == tf.float64:
        return tf.cast(from_last(_slices(wide, kind, window, g), g), dtype)
    if any(s > w for s, w in zip(g.strides, window)):
        y = _sparsely(wide, kind, window, g)
    elif g.n == 1:  # as two-dimensional; tf.nn.pool would copy
        flat = _POOLS[kind][0](tf.expand_dims(wide, 1), (1, *window), (1, *g.strides), g.padding.upper())
        y = tf.squeeze(flat, 1)
    else:  # tf.nn.pool takes twice as long
        y = _POOLS[kind][g.n - 2](wide, window, g.strides, g.padding.upper())
    y = from_last(y, g)
    return y if y.dtype == dtype else tf.cast(y, dtype)


def _sparsely(x: Any, kind: str, window: Any, g: windows.Geometry) -> Any:
    """Strides beyond the window, which TensorFlow refuses: every position, of which some are kept."""
    y = tf.nn.pool(x, window, kind, (1,) * g.n, g.padding.upper())
    keep: list[Any] = [slice(None)]
    sizes = x.shape[1:-1]
    if None in sizes.as_list():
        sizes = tf.unstack(tf.shape(x)[1:-1])
    for size, w, s in zip(sizes, window, g.strides):
        if g.padding == "valid":
            keep.append(slice(0, None, s))
            continue
        total = tf.maximum((-(-size // s) - 1) * s + w - size, 0)
        keep.append(slice((w - 1) // 2 - total // 2, None, s))
    return y[tuple(keep)]


def _slices(x: Any, kind: str, window: Any, g: windows.Geometry) -> Any:
    """Three dimensions in float64, for which there is no kernel."""
    sizes = x.shape.as_list()[1:-1]
    if None in sizes:
        raise NotImplementedError("TensorFlow pools three unknown dimensions only in float32 and half precision.")
    pads = [[0, 0], *map(list, windows.paddings(sizes, window, g)), [0, 0]]
    padded = tf.pad(x, pads, constant_values=x.dtype.min if kind == "MAX" else 0)
    parts = list(windows.taps(padded, window, g))
    if kind == "MAX":
        return tf.reduce_max(tf.stack(parts), 0)
    ones = tf.pad(tf.ones([1, *sizes, 1], x.dtype), pads)
    return tf.add_n(parts) / tf.add_n(list(windows.taps(ones, window, g)))


def max_pool(x: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    return _pool(x, "MAX", pool_size, strides, padding, data_format)


def average_pool(x: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    return _pool(x, "AVG", pool_size, strides, padding, data_format)


TABLE = {"max_pool": max_pool, "average_pool": average_pool}
