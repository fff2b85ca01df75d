"""Diagonals and triangles of matrices."""

from __future__ import annotations

from typing import Any

import kops
from kops import promote
from kops.declare import Tensor, composite
from kops.shapes import Shape, reduced_shape, standardize_axes


def diagonal_length(rows: int | None, columns: int | None, offset: int) -> int | None:
    if rows is None or columns is None:
        return None
    return max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))


def _diagonal_shape(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Shape:
    if len(x.shape) < 2:
        raise ValueError(f"a diagonal needs at least 2 dimensions; got shape {tuple(x.shape)}.")
    a, b = standardize_axes((axis1, axis2), len(x.shape))
    return (*reduced_shape(x.shape, (a, b), False), diagonal_length(x.shape[a], x.shape[b], offset))


@composite("numpy", dtype=promote.first, shape=_diagonal_shape)
def diagonal(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonals of the matrices that lie along two axes, as the last axis of the result.

    Args:
        x: tensor with at least 2 dimensions.
        offset: which diagonal: above the main one if positive, below if negative.
        axis1, axis2: rows and columns of the matrices.
    """
    axes = standardize_axes((axis1, axis2), len(x.shape))
    x = kops.transpose(x, (*(a for a in range(len(x.shape)) if a not in axes), *axes))
    *lead, rows, columns = kops.shape(x)
    # Positions in the flattened matrices.
    start = offset if offset >= 0 else -offset * columns
    count = diagonal_length(x.shape[-2], x.shape[-1], offset)
    if count is None:
        rows, end = (rows, columns - offset) if offset >= 0 else (rows + offset, columns)
        count = kops.maximum(kops.minimum(rows, end), 0)
    places = start + kops.arange(count) * (columns + 1)
    return kops.take(kops.reshape(x, (*lead, -1)), places, axis=-1)


def _diag_shape(x: Any, k: int = 0) -> Shape:
    if len(x.shape) == 1:
        n = None if x.shape[0] is None else x.shape[0] + abs(k)
        return (n, n)
    if len(x.shape) != 2:
        raise ValueError(f"diag takes a vector or a matrix; got shape {tuple(x.shape)}.")
    return (diagonal_length(x.shape[0], x.shape[1], k),)


@composite("numpy", dtype=promote.first, shape=_diag_shape, checked=True)
def diag(x: Tensor, k: int = 0) -> Any:
    """A matrix with a vector as its diagonal; of a matrix its diagonal.

    Args:
        x: shape `(n,)` or `(n, m)`.
        k: which diagonal: above the main one if positive, below if negative.

    Example:
        >>> diag([1, 2])
        [[1, 0], [0, 2]]
    """
    if len(x.shape) == 2:
        return diagonal(x, k)
    longer = kops.pad(x, (0, abs(k)))
    line = kops.expand_dims(longer, 1 if k >= 0 else 0)
    return kops.where(kops.equal(_offsets(*kops.shape(longer) * 2), k), line, kops.zeros((), x.dtype))


@composite("numpy", dtype=promote.first)
def diagflat(x: Tensor, k: int = 0) -> Any:
    """A matrix with the flattened tensor as its diagonal."""
    return diag(kops.reshape(x, (-1,)), k)


def _triangle_shape(x: Any, k: int = 0) -> Shape:
    if len(x.shape) < 2:
        raise ValueError(f"a triangle needs at least 2 dimensions; got shape {tuple(x.shape)}.")
    return tuple(x.shape)


def _offsets(rows: Any, columns: Any) -> Any:
    """Column minus row of each element of a matrix."""
    return kops.arange(columns) - kops.expand_dims(kops.arange(rows), 1)


@composite("numpy", dtype=promote.first, shape=_triangle_shape, checked=True)
def tril(x: Tensor, k: int = 0) -> Any:
    """Matrices with the elements above the `k`-th diagonal set to 0.

    Args:
        x: shape `(..., n, m)`.
        k: 0 is the main diagonal; positive ones lie above it.
    """
    return kops.where(kops.less_equal(_offsets(*kops.shape(x)[-2:]), k), x, kops.zeros((), x.dtype))


@composite("numpy", dtype=promote.first, shape=_triangle_shape, checked=True)
def triu(x: Tensor, k: int = 0) -> Any:
    """Matrices with the elements below the `k`-th diagonal set to 0.

    Args:
        x: shape `(..., n, m)`.
        k: 0 is the main diagonal; positive ones lie above it.
    """
    return kops.where(kops.greater_equal(_offsets(*kops.shape(x)[-2:]), k), x, kops.zeros((), x.dtype))


@composite("numpy", dtype=promote.accumulate)
def trace(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Sums of the diagonals of the matrices that lie along two axes; small ints grow to 32 bits.

    Args:
        x: tensor with at least 2 dimensions.
        offset: which diagonal.
        axis1, axis2: rows and columns of the matrices.
    """
    return kops.sum(diagonal(x, offset, axis1, axis2), axis=-1)
