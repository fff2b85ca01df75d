"""Quantiles and medians."""

from __future__ import annotations

import math
from typing import Any

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite
from kops.ops.reduction import _chosen_shape

_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile_shape(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> shapes.Shape:
    if method not in _METHODS:
        raise ValueError(f"method is one of {', '.join(_METHODS)}, not {method!r}.")
    if len(q.shape) > 1:
        raise ValueError(f"q is a number or has one dimension, but its shape is {tuple(q.shape)}.")
    return (*q.shape, *_chosen_shape(x, axis, keepdims))


def _quantile(x: Any, q: Any, axis: Any, method: str, keepdims: bool, skip_nan: bool) -> Any:

    rank = len(x.shape)
    axes = shapes.standardize_axes(axis, rank)
    kept = [i for i in range(rank) if i not in axes]
    sizes = kops.shape(x)
    # Rows of everything that is reduced, sorted; NaN at the end by being infinite meanwhile.
    reduced = [x.shape[i] for i in axes]
    length = -1 if None in reduced else math.prod(reduced)
    rows = kops.reshape(kops.transpose(x, (*kept, *axes)), (*(sizes[i] for i in kept), length))
    missing = kops.isnan(rows)
    ordered = kops.sort(kops.where(missing, float("inf"), rows), -1)
    if skip_nan:
        count = kops.sum(kops.cast(kops.logical_not(missing), "int32"), -1, True)
        bad = kops.equal(count, 0)
    else:
        count, bad = kops.shape(rows)[-1], kops.any(missing, -1, True)
    place = kops.multiply(kops.reshape(q, (-1,)), kops.maximum(kops.subtract(kops.cast(count, q.dtype), 1), 0))

    def at(index: Any) -> Any:
        one_for_each_row = kops.zeros_like(ordered[..., :1], "int32")
        return kops.take_along_axis(ordered, kops.add(kops.cast(index, "int32"), one_for_each_row), -1)

    rounded = {"nearest": kops.round, "lower": kops.floor, "higher": kops.ceil}
    if method in rounded:
        result = at(rounded[method](place))
    else:
        low, high = kops.floor(place), kops.ceil(place)
        below, above = at(low), at(high)
        part = kops.cast(kops.subtract(place, low), x.dtype) if method == "linear" else 0.5
        # Weighted, not by way of the difference, which may be infinite; and exact where both are the same.
        between = kops.add(kops.multiply(below, 1 - part), kops.multiply(above, part))
        result = kops.where(kops.logical_or(kops.equal(low, high), kops.equal(below, above)), below, between)
    result = kops.where(bad, float("nan"), result)
    result = kops.moveaxis(result, -1, 0) if len(q.shape) else kops.reshape(result, tuple(sizes[i] for i in kept))
    return kops.expand_dims(result, tuple(i + len(q.shape) for i in axes)) if keepdims else result


@composite("numpy", dtype=promote.quantile, shape=_quantile_shape, checked=True)
def quantile(x: Tensor, q: Tensor, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Quantiles: the elements at given fractions of the sorted order. NaN if there is one.

    Args:
        x: a tensor.
        q: quantiles in [0, 1], a number or a tensor of one dimension.
        axis: an axis or several; None for all.
        method: between two elements: `"linear"`, `"lower"`, `"higher"`, `"midpoint"` or `"nearest"`.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float; with the dimension of `q` in front if it has one.

    Raises:
        ValueError: for an unknown method.
    """
    return _quantile(x, q, axis, method, keepdims, False)


@composite("numpy", dtype=promote.quantile, shape=_quantile_shape, checked=True)
def nanquantile(x: Tensor, q: Tensor, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Quantiles of the elements that are not NaN.

    Args:
        x: a tensor.
        q: quantiles in [0, 1], a number or a tensor of one dimension.
        axis: an axis or several; None for all.
        method: between two elements: `"linear"`, `"lower"`, `"higher"`, `"midpoint"` or `"nearest"`.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float; with the dimension of `q` in front if it has one.

    Raises:
        ValueError: for an unknown method.
    """
    return _quantile(x, q, axis, method, keepdims, True)


@composite("numpy", dtype=promote.quantile, shape=_quantile_shape, checked=True)
def percentile(x: Tensor, q: Tensor, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Percentiles: `quantile` of `q / 100`.

    Args:
        x: a tensor.
        q: percentages in [0, 100], a number or a tensor of one dimension.
        axis: an axis or several; None for all.
        method: between two elements: `"linear"`, `"lower"`, `"higher"`, `"midpoint"` or `"nearest"`.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float; with the dimension of `q` in front if it has one.
    """
    return quantile(x, kops.divide(q, 100), axis, method, keepdims)


@composite("numpy", dtype=promote.quantile, shape=_quantile_shape, checked=True)
def nanpercentile(x: Tensor, q: Tensor, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Percentiles of the elements that are not NaN.

    Args:
        x: a tensor.
        q: percentages in [0, 100], a number or a tensor of one dimension.
        axis: an axis or several; None for all.
        method: between two elements: `"linear"`, `"lower"`, `"higher"`, `"midpoint"` or `"nearest"`.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float; with the dimension of `q` in front if it has one.
    """
    return nanquantile(x, kops.divide(q, 100), axis, method, keepdims)


@composite("numpy", dtype=promote.real_inexact_only, shape=_chosen_shape)
def median(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """The middle of the sorted elements; the mean of the middle two of an even number.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float.

    Raises:
        ValueError: when there is nothing to choose from: a reduced dimension is 0.
    """
    return quantile(x, 0.5, axis, "linear", keepdims)


@composite("numpy", dtype=promote.real_inexact_only, shape=_chosen_shape)
def nanmedian(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """The median of the elements that are not NaN.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float.
    """
    return nanquantile(x, 0.5, axis, "linear", keepdims)
