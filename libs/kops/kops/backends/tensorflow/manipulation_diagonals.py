"""Kernels of diagonals and triangles."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.backends.tensorflow.manipulation import length_of
from kops.dims import positive


def _least(a: Any, b: Any) -> Any:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else tf.minimum(a, b)


def _diagonal(x: Any, offset: int, axis1: int, axis2: int) -> Any:
    """Positions in the flattened matrices; tf.linalg.diag_part refuses offsets that leave the matrix."""
    rank = x.shape.rank
    axes = positive(axis1, rank), positive(axis2, rank)
    if axes != (rank - 2, rank - 1):
        x = tf.transpose(x, [*(a for a in range(rank) if a not in axes), *axes])
    if _inside(x, offset):
        return tf.linalg.diag_part(x, k=offset)
    rows, columns = length_of(x, rank - 2), length_of(x, rank - 1)
    count = _least(rows, columns - offset) if offset >= 0 else _least(rows + offset, columns)
    start = offset if offset >= 0 else -offset * columns
    flat = tf.reshape(x, tf.concat([tf.shape(x)[:-2], [rows * columns]], 0))
    return tf.gather(flat, start + tf.range(tf.maximum(count, 0)) * (columns + 1), axis=-1)


def _inside(x: Any, offset: int) -> bool:
    rows, columns = x.shape[-2:]
    return rows is not None and columns is not None and -rows < offset < columns


def _triangle(keep: Any, side: int) -> Any:
    def kernel(x: Any, k: int) -> Any:
        rank = x.shape.rank
        if k * side >= 0 and _inside(x, k):
            return tf.linalg.band_part(x, -1, k) if side > 0 else tf.linalg.band_part(x, -k, -1)
        rows = tf.range(length_of(x, rank - 2))[:, None]
        columns = tf.range(length_of(x, rank - 1))[None, :]
        return tf.where(keep(columns - rows, k), x, tf.zeros((), x.dtype))

    return kernel


TABLE = {
    "diagonal": _diagonal,
    "diag": lambda x, k: tf.linalg.diag(x, k=k) if x.shape.rank == 1 else _diagonal(x, k, 0, 1),
    "tril": _triangle(lambda above, k: above <= k, 1),
    "triu": _triangle(lambda above, k: above >= k, -1),
}
