"""Activation kernels."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.backends.kernel_tables import kernels, native


def elu(x: Any, alpha: float) -> Any:
    return tf.nn.elu(x) if alpha == 1 else tf.where(x > 0, x, alpha * tf.math.expm1(tf.minimum(x, 0)))


def leaky_relu(x: Any, negative_slope: float) -> Any:
    # The kernel's slope has 32 bits.
    return tf.nn.leaky_relu(x, negative_slope) if x.dtype != tf.float64 else tf.where(x > 0, x, negative_slope * x)


def softmax(x: Any, axis: Any) -> Any:
    if isinstance(axis, int) and x.shape.rank:
        return tf.nn.softmax(x, axis)
    return tf.exp(log_softmax(x, axis))


def log_softmax(x: Any, axis: Any) -> Any:
    if isinstance(axis, int) and x.shape.rank:
        return tf.nn.log_softmax(x, axis)
    return x - tf.reduce_logsumexp(x, axis, keepdims=True)


TABLE = {
    **native(tf.nn, "relu relu6 selu gelu silu softsign"),
    **kernels(elu, leaky_relu, softmax, log_softmax),
    "sigmoid": tf.math.sigmoid,
    "softplus": tf.math.softplus,
}
