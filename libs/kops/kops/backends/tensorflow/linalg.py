"""Kernels of products."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.backends.kernel_tables import kernels
from kops.backends.tensorflow.graphs import formula

_SMALL = frozenset({tf.bool, tf.int8, tf.uint8, tf.int16, tf.uint16})
_UNSIGNED = frozenset({tf.uint32, tf.uint64})


def _wide(x: Any) -> Any:
    """Small ints would overflow while they are summed; TensorFlow multiplies no bools and no unsigned matrices."""
    if x.dtype in _SMALL:
        return tf.cast(x, tf.int32)
    return tf.cast(x, tf.int64) if x.dtype in _UNSIGNED else x


# Products of two int8 are below 2**14. As many as this sum to less than 2**24, below which float32 is exact.
_EXACT_TERMS = 2**10


def _matmul(x1: Any, x2: Any) -> Any:
    if x1.dtype is tf.int8:
        # TensorFlow's int8 product is seven times slower on a CPU than that of floats, which gives the same integers.
        terms = x1.shape[-1] if x1.shape.rank else None
        exact = tf.float32 if terms is not None and terms <= _EXACT_TERMS else tf.float64
        return tf.cast(_matmul(tf.cast(x1, exact), tf.cast(x2, exact)), tf.int32)
    rank1, rank2 = x1.shape.rank, x2.shape.rank
    x1, x2 = _wide(x1), _wide(x2)
    if rank1 == 2 == rank2:
        return tf.raw_ops.MatMul(a=x1, b=x2)
    if not rank1 or not rank2:
        raise ValueError("matmul needs at least one dimension.")
    if rank2 == 2 and rank1 > 2:
        return tf.tensordot(x1, x2, 1)  # one large product instead of a batch of small ones
    if rank1 == 1:
        x1 = tf.expand_dims(x1, 0)
    if rank2 == 1:
        x2 = tf.expand_dims(x2, 1)
    out = tf.linalg.matmul(x1, x2)
    return tf.squeeze(out, ([-2] if rank1 == 1 else []) + ([-1] if rank2 == 1 else [])) if 1 in (rank1, rank2) else out


def _cross(x1: Any, x2: Any, *axes: Any) -> Any:
    # The kernel has vectors of three numbers along the last axis, and does not broadcast.
    same = x1.shape == x2.shape and x1.shape.is_fully_defined() and x1.shape[-1] == 3
    if same and x1.dtype.is_floating and axes in ((-1, -1, -1, None), (-1, -1, -1, -1)):
        return tf.linalg.cross(x1, x2)
    return formula("cross")(x1, x2, *axes)


def _einsum(subscripts: str, operands: Any, kwargs: Any) -> Any:
    return tf.einsum(subscripts.replace(" ", ""), *[_wide(x) for x in operands])


TABLE = {
    **kernels(_matmul, _cross, _einsum),
    "tensordot": lambda x1, x2, axes: tf.tensordot(_wide(x1), _wide(x2), axes),
}
