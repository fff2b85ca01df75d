"""Kernels that arrange elements anew. Inside tf.function lengths may be unknown: then tf.shape stands in."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.backends.kernel_tables import kernels, native
from kops.backends.tensorflow.core import exactly
from kops.backends.tensorflow.eager import kept
from kops.dims import (
    COPYING_PADS,
    as_tuple,
    cuts,
    ints,
    other_pad,
    pad_pairs,
    pad_positions,
    positive,
    shift_pairs,
    target,
)
from kops.shapes import standardize_axes


def length_of(x: Any, axis: int) -> Any:
    static = x.shape[axis]
    return tf.shape(x)[axis] if static is None else static


def _pad(x: Any, pad_width: Any, mode: str, constant_values: Any) -> Any:
    pairs = pad_pairs(pad_width, x.shape.rank)
    if mode == "constant":
        value = 0 if constant_values is None else exactly(constant_values, x.dtype)
        return tf.pad(x, kept(map(tuple, pairs)), constant_values=value)
    if mode not in COPYING_PADS:
        raise other_pad(mode, "tensorflow")
    for axis, pair in enumerate(pairs):
        if any(pair):
            n = length_of(x, axis)
            around = pad_positions(tf.range(-pair[0], n + pair[1]), n, mode, tf.minimum, tf.maximum)
            x = tf.gather(x, around, axis=axis)
    return x


def _expand_dims(x: Any, axis: Any) -> Any:
    if isinstance(axis, int):
        return tf.expand_dims(x, axis)
    ndim = x.shape.rank + len(axis)
    for a in sorted(standardize_axes(axis, ndim)):
        x = tf.expand_dims(x, a)
    return x


def _reshape(x: Any, newshape: Any) -> Any:
    shape = target(newshape)
    known = [d for d in shape if isinstance(d, int)] if isinstance(shape, tuple) else []
    if 0 in known and -1 in known:
        raise ValueError("The -1 can be anything.")
    return tf.reshape(x, shape)


def _split(x: Any, sections: Any, axis: int) -> list[Any]:
    if isinstance(sections, int):
        return list(tf.split(x, sections, axis))
    axis, parts = positive(axis, x.shape.rank), cuts(sections, None)
    n = x.shape[axis]
    if n is not None:
        bounds = [part.indices(n)[:2] for part in parts]
        if all(a[1] == b[0] for a, b in zip(bounds, bounds[1:])) and all(a <= b for a, b in bounds):
            return list(tf.split(x, kept([b - a for a, b in bounds]), axis))
    return [x[(*(slice(None),) * axis, part)] for part in parts]


def _squeeze(x: Any, axes: Any) -> Any:
    return tf.squeeze(x, axes) if axes else x  # of no axes TensorFlow makes all


def _lone(x: Any, axis: int) -> Any:
    if not -x.shape.rank <= axis < x.shape.rank:  # tf.concat of one tensor does not look
        raise ValueError(f"axis {axis} is out of range for {x.shape.rank} dimensions.")
    return tf.identity(x)


def _tile(x: Any, repeats: Any) -> Any:
    repeats = as_tuple(repeats)
    missing = len(repeats) - x.shape.rank
    if missing > 0:
        x = tf.reshape(x, tf.concat([[1] * missing, tf.shape(x)], 0))
    return tf.tile(x, kept((*((1,) * -missing), *repeats)))


def _broadcast_to(x: Any, shape: Any) -> Any:
    if isinstance(shape, (tuple, list)) and any(d is None for d in shape):
        lead = len(shape) - x.shape.rank
        shape = [length_of(x, i - lead) if d is None else d for i, d in enumerate(shape)]
    return tf.broadcast_to(x, kept(shape) if isinstance(shape, (tuple, list)) else shape)


def _roll(x: Any, shift: Any, axis: Any) -> Any:
    if axis is None:
        return tf.reshape(
            tf.roll(tf.reshape(x, kept((-1,))), *shift_pairs(shift, 0)), kept(length_of(x, i) for i in range(x.ndim))
        )
    return tf.roll(x, *map(kept, shift_pairs(shift, axis)))


TABLE = {
    **native(tf, "stack unstack repeat"),
    "transpose": lambda x, axes: tf.transpose(x, kept(range(x.shape.rank - 1, -1, -1) if axes is None else axes)),
    "squeeze": lambda x, axis: tf.squeeze(x) if axis is None else _squeeze(x, ints(axis, "axis")),
    **kernels(_expand_dims, _split, _tile, _broadcast_to, _roll, _pad),
    "reshape": _reshape,
    "concatenate": lambda xs, axis: tf.concat(xs, axis) if len(xs) > 1 else _lone(xs[0], axis),
    "flip": lambda x, axis: tf.reverse(x, list(range(x.shape.rank)) if axis is None else as_tuple(axis)),
}
