"""Random bits: the algorithm of `kops.random_hash` on uint32."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from kops.random_hash import MIX_MULTIPLIERS, MULTIPLIERS, SEED_CROSS, SEED_OFFSETS

_shift = tf.bitwise.right_shift
_xor = tf.bitwise.bitwise_xor


def seed_native(seed: int) -> None:
    tf.random.set_seed(seed)


def _word(value: int) -> tf.Tensor:
    return tf.constant(np.uint32(value))


def _fold(x: Any, shift: int) -> Any:
    return _xor(x, _shift(x, _word(shift)))


def _mix(w: Any) -> Any:
    w = _fold(w, 16) * _word(MIX_MULTIPLIERS[0])
    w = _fold(w, 15) * _word(MIX_MULTIPLIERS[1])
    return _fold(w, 16)


def _words(seed: Any) -> Any:
    return tf.cast(tf.cast(seed, tf.int64) & 0xFFFFFFFF, tf.uint32)


def _hash(seed: Any, shape: Any) -> Any:
    v = _mix(_words(seed) + tf.constant(np.array(SEED_OFFSETS, np.uint32)))
    keys = _mix(v + tf.reverse(v, [0]) * _word(SEED_CROSS))
    x = tf.cast(tf.range(tf.reduce_prod(shape)), tf.uint32) + keys[0]
    x = _xor(_fold(x, 17) * _word(MULTIPLIERS[0]), keys[1])
    x = _fold(x, 11) * _word(MULTIPLIERS[1])
    x = _fold(x, 15) * _word(MULTIPLIERS[2])
    return tf.reshape(_fold(x, 14), shape)


# Eager, one call of a graph costs less than two dozen ops.
_hash_graph = tf.function(
    _hash, input_signature=[tf.TensorSpec([2], tf.int64), tf.TensorSpec([None], tf.int32)], autograph=False
)


def _uint_bits(seed: Any, shape: Any) -> Any:
    sizes = (
        shape
        if isinstance(shape, tf.Tensor)
        else tf.stack([tf.cast(d, tf.int32) for d in shape] or tf.zeros([0], tf.int32))
    )
    if tf.executing_eagerly():
        return _hash_graph(tf.cast(seed, tf.int64), sizes)
    x = _hash(seed, sizes)
    if not isinstance(shape, tf.Tensor):
        x.set_shape([d if isinstance(d, int) else None for d in shape])
    return x


def _bits(seed: Any, shape: Any) -> Any:
    return tf.bitcast(_uint_bits(seed, shape), tf.int32)


def _below(seed: Any, span: Any, shape: Any, dtype: Any) -> Any:
    first, second = tf.unstack(tf.cast(_uint_bits(seed, (2, *shape)), tf.int64) // 2)
    span = tf.cast(span, tf.int64)
    low = first * span // 2**31
    return tf.cast((second * span + low) // 2**31, dtype)


def _advance(seed: Any) -> Any:
    return [seed, seed + tf.constant([0, 1], seed.dtype)]


TABLE = {"random_bits": _bits, "random_below": _below, "advance_seed": _advance}
