"""Counts of values and of ranges of values."""

from __future__ import annotations

from typing import Any, Optional

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite, primitive
from kops.dims import as_tuple
from kops.dtypes import INTS


def _count_dtypes(d: Any, weights: Any, **static: Any) -> Any:
    name = promote.natural(d)
    if name not in INTS and name != "bool":
        raise TypeError(f"integers are counted, but these are {name}.")
    result = "int32" if weights is None else promote.grown(promote.natural(weights))
    return (name if name != "bool" else "int32", None if weights is None else result), result


def _count_shape(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> shapes.Shape:
    if len(x.shape) not in (1, 2):
        raise ValueError(f"one or two dimensions are needed, not shape {tuple(x.shape)}.")
    if weights is not None and not shapes.broadcasts_into(weights.shape, x.shape):
        raise ValueError(f"weights of shape {tuple(weights.shape)} do not fit numbers of shape {tuple(x.shape)}.")
    return (*x.shape[:-1], None)


@primitive("numpy", dtype=_count_dtypes, shape=_count_shape, checked=True)
def bincount(x: Tensor, weights: Optional[Tensor] = None, minlength: int = 0, sparse: bool = False) -> Any:
    """How often each of the numbers 0, 1, 2, ... occurs.

    Args:
        x: non-negative integers `(n,)` or, counted row by row, `(rows, n)`.
        weights: of the shape of `x`: what each occurrence counts; None for 1.
        minlength: the least size of the output. Where JAX compiles it is the size, and larger numbers are left out.
        sparse: whether to return a sparse tensor (TensorFlow).

    Returns:
        A tensor `(m,)` or `(rows, m)` with `m = max(max(x) + 1, minlength)`, int32 or of the dtype of `weights`.

    Example:
        >>> bincount([0, 1, 1, 3])
        [1, 2, 0, 1]
    """


def _histogram_shape(x: Any, bins: int = 10, range: Any = None) -> list[shapes.Shape]:
    if not isinstance(bins, int):
        raise TypeError(f"bins is how many there are, an int, not {bins!r}.")
    if bins < 1:
        raise ValueError(f"at least one bin is needed, not {bins}.")
    if range is not None and [isinstance(end, (int, float)) for end in as_tuple(range)] != [True, True]:
        raise TypeError(f"the range is a pair of numbers, not {range!r}.")
    if range is not None and range[1] <= range[0]:
        raise ValueError(f"the upper end of the range must be above the lower one, but the range is {range}.")
    if len(x.shape) != 1:
        raise ValueError(f"one dimension is needed, not shape {tuple(x.shape)}.")
    return [(bins,), (bins + 1,)]


@composite("numpy", dtype=promote.real_inexact_only, shape=_histogram_shape, checked=True)
def histogram(x: Tensor, bins: int = 10, range: Any = None) -> Any:
    """How many elements lie in each of several bins of equal width.

    Args:
        x: a tensor `(n,)`.
        bins: how many bins.
        range: lower end of the first and upper end of the last bin; default the extremes of `x`.

    Returns:
        A list of the counts `(bins,)` and the edges `(bins + 1,)`, both float. An element on an edge belongs to the bin
        above, except for the last edge.
    """
    if range is not None or x.shape[0] == 0:
        low, high = (kops.full((), end, x.dtype) for end in (range or (0.0, 1.0)))
    else:
        low, high = kops.min(x), kops.max(x)
        point = kops.equal(low, high)
        low, high = kops.where(point, kops.subtract(low, 0.5), low), kops.where(point, kops.add(high, 0.5), high)
    edges = kops.linspace(low, high, bins + 1)
    ordered = kops.sort(x)
    below = kops.searchsorted(ordered, edges[:-1])
    upto = kops.concatenate([below[1:], kops.searchsorted(ordered, edges[-1:], "right")])
    return [kops.cast(kops.subtract(upto, below), x.dtype), edges]


def _digits_shape(x: Any, bins: Any) -> shapes.Shape:
    if len(bins.shape) != 1:
        raise ValueError(f"bins have one dimension, not shape {tuple(bins.shape)}.")
    return tuple(x.shape)


@composite("numpy", dtype=lambda *ds: (promote.ordered(*ds)[0], "int32"), shape=_digits_shape)
def digitize(x: Tensor, bins: Tensor) -> Any:
    """Into which bin each element falls: how many edges are not above it.

    Args:
        x: a tensor of any shape.
        bins: the edges, ascending, `(m,)`.

    Returns:
        An int32 tensor of the shape of `x`, with numbers from 0 to `m`.

    Example:
        >>> digitize([0.5, 1.0, 7.0], [1.0, 3.0])
        [0, 1, 2]
    """
    return kops.searchsorted(bins, x, "right")
