"""`unique`: TensorFlow's own neither sorts nor tells first positions, so NumPy computes it on the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from kops.backends.numpy.sorting_unique import unique as on_host


def _unique(x: Any, ordered: bool, index: bool, inverse: bool, counts: bool, axis: Any, size: Any, fill: Any) -> Any:
    extras = sum(map(bool, (index, inverse, counts)))

    def compute(array: np.ndarray) -> Any:
        return on_host(np.asarray(array), ordered, index, inverse, counts, axis, size, fill)

    out = tf.numpy_function(compute, [x], [x.dtype] + [tf.int32] * extras if extras else x.dtype)
    values = out[0] if extras else out
    shape = [size] if axis is None else x.shape.as_list()
    if axis is not None:
        shape[axis] = size
    values.set_shape(shape)
    if not extras:
        return values
    rest = list(out[1:])
    shapes = [
        s for s, w in (([size], index), (x.shape if axis is None else [x.shape[axis]], inverse), ([size], counts)) if w
    ]
    for tensor, s in zip(rest, shapes):
        tensor.set_shape(s)
    return (values, *rest)


TABLE = {"unique": _unique}
