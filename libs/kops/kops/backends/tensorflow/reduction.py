"""Reduction kernels."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.backends.kernel_tables import kernels, native
from kops.backends.limit import limit
from kops.backends.tensorflow.eager import kept, no_nan, recording


def _axis(axis: Any) -> Any:
    return list(axis) if isinstance(axis, tuple) else axis


_WIDER = {tf.float16: tf.float32, tf.bfloat16: tf.float32, tf.bool: tf.int32}


def _wide(x: Any) -> Any:
    """16-bit floats in 32 bits, for TensorFlow accumulates in the type it is given; bools, which it does not count."""
    return tf.cast(x, _WIDER[x.dtype]) if x.dtype in _WIDER else x


def _reducing(function: Any) -> Any:
    return lambda x, axis=None, keepdims=False, dtype=None: function(_wide(x), _axis(axis), keepdims)


def _var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    x = _wide(x)
    distance = x - tf.reduce_mean(x, _axis(axis), keepdims=True)
    square = tf.math.real(distance * tf.math.conj(distance)) if x.dtype.is_complex else tf.square(distance)
    return tf.reduce_mean(square, _axis(axis), keepdims)


def _reduced_sizes(x: Any, axis: Any) -> list[Any]:
    axes = range(len(x.shape)) if axis is None else [axis] if isinstance(axis, int) else axis
    return [x.shape[i] for i in axes]


def _extreme(reduce: Any, join: Any) -> Any:
    def kernel(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        if initial is None:
            if 0 in _reduced_sizes(x, axis):  # TensorFlow would answer an infinity
                raise ValueError("nothing to choose from.")
            return reduce(x, _axis(axis), keepdims)
        start = tf.convert_to_tensor(limit(initial, x), x.dtype)
        return join(reduce(x, _axis(axis), keepdims), start)

    return kernel


def _index(function: Any) -> Any:
    def kernel(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if 0 in _reduced_sizes(x, axis):
            raise ValueError("nothing to choose from.")
        rank = len(x.shape)
        if axis is None:
            x = tf.reshape(x, kept((-1,)))
        if x.dtype.is_floating and not no_nan(x):
            # TensorFlow passes over NaN; here, as everywhere else, the first NaN wins.
            missing = tf.math.is_nan(x)
            at_nan = tf.argmax(tf.cast(missing, tf.uint8), axis or 0, tf.int32)
            out = tf.where(tf.reduce_any(missing, axis or 0), at_nan, function(x, axis or 0, tf.int32))
        else:
            out = function(x, axis or 0, tf.int32)
        if keepdims:
            out = tf.reshape(out, [1] * rank) if axis is None else tf.expand_dims(out, axis)
        return out

    return kernel


def _running(function: Any) -> Any:
    def kernel(x: Any, axis: Any = None, dtype: Any = None) -> Any:
        return function(_wide(tf.reshape(x, [-1]) if axis is None else x), axis or 0)

    return kernel


def _moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    x = _wide(x)
    if not synchronized:
        return list(tf.nn.moments(x, _axis(axes), keepdims=keepdims))
    context = tf.distribute.get_replica_context()
    if context is None:
        raise ValueError("synchronized moments need a replica context: call them inside strategy.run.")
    axes = _axis(axes)
    sums = [tf.reduce_sum(x, axes, keepdims=True), tf.reduce_sum(tf.square(x), axes, keepdims=True)]
    one = tf.reduce_sum(tf.ones_like(x), axes, keepdims=True)
    total, squares, count = context.all_reduce(tf.distribute.ReduceOp.SUM, [*sums, one])
    mean = total / count
    variance = squares / count - tf.square(mean)
    return [mean, variance] if keepdims else [tf.squeeze(mean, axes), tf.squeeze(variance, axes)]


def _cumprod(x: Any, axis: int) -> Any:
    if not (x.dtype.is_floating or x.dtype.is_complex) or x.shape[axis] is None or not recording():
        return tf.math.cumprod(x, axis)

    @tf.custom_gradient
    def product(x: Any) -> Any:
        def gradient(upstream: Any) -> Any:
            # TensorFlow divides by the factors, of which one may be 0.
            with tf.GradientTape() as tape:
                tape.watch(x)
                doubled = _doubling_product(x, axis)
            return tape.gradient(doubled, x, upstream)

        return tf.math.cumprod(x, axis), gradient

    return product(x)


def _doubling_product(x: Any, axis: int) -> Any:
    """Running products in a logarithmic number of multiplications."""
    n, step = x.shape[axis], 1
    while step < n:
        head, tail = tf.split(x, [step, n - step], axis)
        x = tf.concat([head, tail * tf.split(x, [n - step, step], axis)[0]], axis)
        step *= 2
    return x


def _bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    x = tf.cast(x, tf.int32)
    if sparse:
        return tf.sparse.bincount(x, weights, axis=-1, minlength=minlength)
    if weights is not None and weights.dtype.is_complex:
        return tf.complex(*(_bincount(x, part(weights), minlength) for part in (tf.math.real, tf.math.imag)))
    if weights is not None:
        weights = tf.broadcast_to(_wide(weights), tf.shape(x))
        if weights.dtype not in (tf.int32, tf.int64, tf.float32, tf.float64):
            weights = tf.cast(weights, tf.int64)
    axis = -1 if len(x.shape) == 2 else None
    return tf.math.bincount(x, weights, minlength, axis=axis, dtype=tf.int32)


TABLE = {
    **native(tf, "mean=reduce_mean prod=reduce_prod sum=reduce_sum", _reducing),
    "all": lambda x, axis, keepdims: tf.reduce_all(x, _axis(axis), keepdims),
    "any": lambda x, axis, keepdims: tf.reduce_any(x, _axis(axis), keepdims),
    **kernels(_bincount, _moments, _var),
    "argmax": _index(tf.argmax),
    "argmin": _index(tf.argmin),
    "cumprod": _running(_cumprod),
    "cumsum": _running(tf.math.cumsum),
    "max": _extreme(tf.reduce_max, tf.maximum),
    "min": _extreme(tf.reduce_min, tf.minimum),
}
