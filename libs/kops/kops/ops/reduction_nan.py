"""Reductions that leave NaN elements out."""

from __future__ import annotations

from typing import Any

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite
from kops.dtypes import is_float_dtype
from kops.ops.elementwise_piecewise import flat_at_zero
from kops.ops.reduction import _chosen_shape, _index_shape


def _zeroed(x: Any) -> Any:
    return kops.where(kops.isnan(x), 0, x)


def _count(x: Any, axis: Any, keepdims: bool) -> Any:
    # In integers: 16-bit floats cannot count beyond a few thousand.
    return kops.sum(kops.cast(kops.logical_not(kops.isnan(x)), "int32"), axis, keepdims)


@composite("numpy", dtype=promote.accumulate, shape=shapes.reduce)
def nansum(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Sum. NaN elements do not take part.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor.
    """
    return kops.sum(_zeroed(x), axis, keepdims)


@composite("numpy", dtype=promote.accumulate, shape=shapes.reduce)
def nanprod(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Product. NaN elements do not take part.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor.
    """
    return kops.prod(kops.where(kops.isnan(x), 1, x), axis, keepdims)


@composite("numpy", dtype=promote.wide, shape=shapes.reduce)
def nanmean(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Mean; NaN of nothing. NaN elements do not take part.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float.
    """
    return kops.divide(kops.sum(_zeroed(x), axis, keepdims), _count(x, axis, keepdims))


@composite("numpy", dtype=promote.statistic, shape=shapes.reduce)
def nanvar(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Variance; NaN of nothing. NaN elements do not take part.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float.
    """
    # Zero where x is NaN, not where the deviation is: that of an infinity is NaN, too.
    deviation = kops.absolute(kops.where(kops.isnan(x), 0, kops.subtract(x, nanmean(x, axis, True))))
    count = kops.cast(_count(x, axis, keepdims), deviation.dtype)
    return kops.divide(kops.sum(kops.square(deviation), axis, keepdims), count)


@composite("numpy", dtype=promote.statistic, shape=shapes.reduce)
def nanstd(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """Standard deviation; NaN of nothing. NaN elements do not take part.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, float.
    """
    return flat_at_zero(kops.sqrt, nanvar(x, axis, keepdims))


def _nan_extreme(extreme: Any, x: Any, worst: float, axis: Any, keepdims: bool) -> Any:
    if not is_float_dtype(x.dtype):
        return extreme(x, axis, keepdims)
    missing = kops.isnan(x)
    best = extreme(kops.where(missing, worst, x), axis, keepdims)
    return kops.where(kops.all(missing, axis, keepdims), float("nan"), best)


@composite("numpy", dtype=promote.ordered, shape=_chosen_shape)
def nanmax(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest element; NaN if all are. NaN elements do not take part.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor.

    Raises:
        ValueError: when there is nothing to choose from: a reduced dimension is 0.
    """
    return _nan_extreme(kops.max, x, -float("inf"), axis, keepdims)


@composite("numpy", dtype=promote.ordered, shape=_chosen_shape)
def nanmin(x: Tensor, axis: Any = None, keepdims: bool = False) -> Any:
    """The smallest element; NaN if all are. NaN elements do not take part.

    Args:
        x: a tensor.
        axis: an axis or several; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor.

    Raises:
        ValueError: when there is nothing to choose from: a reduced dimension is 0.
    """
    return _nan_extreme(kops.min, x, float("inf"), axis, keepdims)


def _nan_index(extreme: Any, place: Any, x: Any, worst: float, axis: Any, keepdims: bool) -> Any:
    """Where the extreme of the numbers stands: looked up by its value, since it may be as bad as what replaces NaN."""
    if not is_float_dtype(x.dtype):
        return place(x, axis, keepdims)
    missing = kops.isnan(x)
    best = extreme(kops.where(missing, worst, x), axis, True)
    index = kops.argmax(kops.cast(kops.equal(x, best), "int32"), axis, keepdims)
    return kops.where(kops.all(missing, axis, keepdims), -1, index)


@composite("numpy", dtype=promote.order_index, shape=_index_shape)
def nanargmax(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Any:
    """Index of the (first) largest element; -1 if all are NaN. NaN elements do not take part.

    Args:
        x: a tensor.
        axis: an axis; None for the flattened tensor.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        An int32 tensor of indices.

    Raises:
        ValueError: when there is nothing to choose from: a reduced dimension is 0.
    """
    return _nan_index(kops.max, kops.argmax, x, -float("inf"), axis, keepdims)


@composite("numpy", dtype=promote.order_index, shape=_index_shape)
def nanargmin(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Any:
    """Index of the (first) smallest element; -1 if all are NaN. NaN elements do not take part.

    Args:
        x: a tensor.
        axis: an axis; None for the flattened tensor.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        An int32 tensor of indices.

    Raises:
        ValueError: when there is nothing to choose from: a reduced dimension is 0.
    """
    return _nan_index(kops.min, kops.argmin, x, float("inf"), axis, keepdims)
