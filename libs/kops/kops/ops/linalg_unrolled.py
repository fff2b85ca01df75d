"""Decompositions as formulas, for graphs of engines that have none: one step per column, written out.

The size of the matrices must be known; their number need not be.
"""

from __future__ import annotations

from typing import Any

import kops


def _sizes(x: Any, name: str) -> tuple[int, int]:
    m, n = x.shape[-2:]
    if m is None or n is None:
        raise NotImplementedError(f"{name} inside of a graph needs matrices of known size, not {tuple(x.shape)}.")
    return m, n


def _outer(column: Any, row: Any) -> Any:
    return kops.multiply(kops.expand_dims(column, -1), kops.expand_dims(row, -2))


def _conjugate(x: Any) -> Any:
    return kops.conjugate(x) if kops.standardize_dtype(x.dtype).startswith("complex") else x


def _after(size: int, i: int) -> Any:
    """Which places are behind place `i`."""
    return kops.greater(kops.arange(size), i)


def cholesky(x: Any, upper: bool) -> Any:
    n, _ = _sizes(x, "cholesky")
    rest, columns = x, []
    for i in range(n):
        column = kops.divide(rest[..., :, i], kops.sqrt(rest[..., i : i + 1, i]))
        column = kops.where(_after(n, i - 1), column, 0.0)
        rest = kops.subtract(rest, _outer(column, _conjugate(column)))
        columns.append(_conjugate(column) if upper else column)
    return kops.stack(columns, axis=-2 if upper else -1) if n else x


def lu_factor(x: Any) -> tuple[Any, Any]:
    """By Gauss, with the largest number of each column as its pivot."""
    m, n = _sizes(x, "lu_factor")
    pivots = []
    for i in range(min(m, n)):
        pivot = kops.add(kops.argmax(kops.absolute(x[..., i:, i]), axis=-1), i)
        pivots.append(pivot)
        place, there = kops.arange(m), kops.expand_dims(pivot, -1)
        order = kops.where(kops.equal(place, i), there, kops.where(kops.equal(place, there), i, place))
        # Zeros of x's shape: rows are taken whole, in every matrix its own.
        rows = kops.add(kops.expand_dims(order, -1), kops.zeros_like(x, dtype="int32"))
        x = kops.take_along_axis(x, rows, axis=-2)
        top = x[..., i : i + 1, i]
        factors = kops.divide(x[..., :, i], kops.where(kops.equal(top, 0), 1.0, top))
        factors = kops.where(_after(m, i), factors, 0.0)
        x = kops.subtract(x, _outer(factors, kops.where(_after(n, i), x[..., i, :], 0.0)))
        below = kops.logical_and(kops.expand_dims(_after(m, i), 1), kops.equal(kops.arange(n), i))
        x = kops.where(below, kops.expand_dims(factors, -1), x)
    return x, kops.stack(pivots, axis=-1) if pivots else kops.cast(kops.sum(x, axis=-1)[..., :0], "int32")


def slogdet(x: Any) -> tuple[Any, Any]:
    lu, pivots = kops.lu_factor(x)
    diagonal = kops.diagonal(lu, axis1=-2, axis2=-1)
    moved = kops.not_equal(pivots, kops.arange(pivots.shape[-1]))
    turns = kops.subtract(1, kops.multiply(2, kops.mod(kops.sum(kops.cast(moved, "int32"), axis=-1), 2)))
    sign = kops.multiply(kops.prod(kops.sign(diagonal), axis=-1), kops.cast(turns, x.dtype))
    return sign, kops.sum(kops.log(kops.absolute(diagonal)), axis=-1)


def det(x: Any) -> Any:
    sign, logabs = kops.slogdet(x)
    return kops.multiply(sign, kops.exp(logabs))


def qr(x: Any, mode: str) -> tuple[Any, Any]:
    """By Householder's reflections, with the signs of LAPACK."""
    m, n = _sizes(x, "qr")
    # A sum has one column also where x has none.
    r, q = x, kops.add(kops.sum(kops.zeros_like(x), axis=-1, keepdims=True), kops.eye(m, dtype=x.dtype))
    for i in range(min(m - 1, n)):
        column = kops.where(_after(m, i - 1), r[..., :, i], 0.0)
        top = column[..., i : i + 1]
        length = kops.sqrt(kops.sum(kops.multiply(column, _conjugate(column)), axis=-1, keepdims=True))
        signed = kops.multiply(kops.where(kops.equal(top, 0), 1.0, kops.sign(top)), length)
        v = kops.add(column, kops.where(kops.equal(kops.arange(m), i), signed, 0.0))
        mirrored = _conjugate(v)
        square = kops.sum(kops.multiply(v, mirrored), axis=-1, keepdims=True)
        w = kops.divide(kops.multiply(2.0, v), kops.where(kops.equal(square, 0), 1.0, square))
        r = kops.subtract(r, _outer(w, kops.sum(kops.multiply(kops.expand_dims(mirrored, -1), r), axis=-2)))
        q = kops.subtract(q, _outer(kops.sum(kops.multiply(q, kops.expand_dims(v, -2)), axis=-1), _conjugate(w)))
    k = m if mode == "complete" else min(m, n)
    return q[..., :, :k], kops.triu(r[..., :k, :])
