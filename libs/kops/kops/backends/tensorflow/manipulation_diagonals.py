"""Kernels of diagonals and triangles: within the matrices only, and in the last two axes."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.backends.tensorflow.graphs import formula
from kops.dims import positive


def _inside(x: Any, offset: int) -> bool:
    rows, columns = x.shape[-2:]
    return rows is not None and columns is not None and -rows < offset < columns


def _diagonal(x: Any, offset: int, axis1: int, axis2: int) -> Any:
    rank = x.shape.rank
    if (positive(axis1, rank), positive(axis2, rank)) == (rank - 2, rank - 1) and _inside(x, offset):
        return tf.linalg.diag_part(x, k=offset)
    return formula("diagonal")(x, offset, axis1, axis2)


TABLE = {
    "diagonal": _diagonal,
    "diag": lambda x, k: tf.linalg.diag(x, k=k) if x.shape.rank == 1 else _diagonal(x, k, 0, 1),
    "tril": lambda x, k: tf.linalg.band_part(x, -1, k) if k >= 0 and _inside(x, k) else formula("tril")(x, k),
    "triu": lambda x, k: tf.linalg.band_part(x, -k, -1) if k <= 0 and _inside(x, k) else formula("triu")(x, k),
}
