"""Spaced numbers and grids."""

from __future__ import annotations

from typing import Any

import kops
from kops import promote, shapes
from kops.declare import Tensor, Tensors, composite
from kops.dtypes import INTS, standardize_dtype


def _spaced(start: Any, stop: Any, dtype: Any = None, retstep: bool = False, **static: Any) -> Any:
    """Computed in 32 bits at least, whatever comes out, and in as many as come out."""
    own = promote.inexact(start, stop)[0]
    result = own if dtype is None else standardize_dtype(dtype)
    compute = promote.wide(own, own if result in INTS or result == "bool" else result)[0]
    if own.startswith("complex") and result in INTS:
        raise TypeError(f"{own} numbers have no {result} below them.")
    return compute, (result, own) if retstep else result


def _spaced_shape(start: Any, stop: Any, num: int, axis: int) -> shapes.Shape:
    if num < 0:
        raise ValueError(f"num is how many numbers to make; it cannot be {num}.")
    shape = list(shapes.broadcast_shapes(start.shape, stop.shape))
    axis = shapes.standardize_axis(axis, len(shape) + 1)
    return (*shape[:axis], num, *shape[axis:])


def _line_shape(start: Any, stop: Any, num: int, axis: int, retstep: bool) -> Any:
    values = _spaced_shape(start, stop, num, axis)
    return [values, shapes.broadcast_shapes(start.shape, stop.shape)] if retstep else values


def _ramp(start: Any, stop: Any, num: int) -> tuple[Any, Any, Any]:
    """0, 1, ... along a new first axis, and the arguments with that axis in front."""
    rank = max(len(start.shape), len(stop.shape))
    start, stop = (kops.reshape(x, (1,)) if not len(x.shape) and rank else x for x in (start, stop))
    start, stop = kops.expand_dims(start, 0), kops.expand_dims(stop, 0)
    return kops.reshape(kops.arange(num, dtype=standardize_dtype(start.dtype)), (num,) + (1,) * rank), start, stop


@composite("numpy", dtype=_spaced, shape=_line_shape, key=("retstep",), checked=True)
def linspace(
    start: Tensor,
    stop: Tensor,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Numbers in equal distances over an interval.

    Args:
        start, stop: ends of the interval; tensors that broadcast against each other.
        num: how many.
        endpoint: whether `stop` is the last of them.
        retstep: whether the distance is returned, too.
        dtype: default the promoted float dtype of the ends; integers are rounded down.
        axis: where the new axis stands in the output.

    Returns:
        A tensor with one more dimension, of size `num`; with `retstep` a pair of that and the distance.

    Example:
        >>> linspace(0.0, 1.0, num=5)
        [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    gaps = num - 1 if endpoint else num
    step = kops.divide(kops.subtract(stop, start), gaps if gaps > 0 else float("nan"))
    ramp, first, last = _ramp(start, stop, num)
    values = kops.add(first, kops.multiply(ramp, kops.divide(kops.subtract(last, first), max(gaps, 1))))
    if endpoint and num > 1:
        values = kops.where(kops.equal(ramp, num - 1), last, values)  # exactly
    if dtype is not None and standardize_dtype(dtype) in INTS:
        values = kops.floor(values)
    values = kops.moveaxis(values, 0, axis) if axis != 0 else values
    return [values, step] if retstep else values


@composite("numpy", dtype=_spaced, shape=_spaced_shape)
def logspace(
    start: Tensor,
    stop: Tensor,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Numbers in equal ratios: `base` to the power of `linspace(start, stop, ...)`.

    Args:
        start, stop: exponents of the ends; tensors that broadcast against each other.
        num: how many.
        endpoint: whether the upper end is the last of them.
        base: of the powers.
        dtype: default the promoted float dtype of the ends.
        axis: where the new axis stands in the output.

    Returns:
        A tensor with one more dimension, of size `num`.
    """
    return kops.power(base, linspace(start, stop, num, endpoint, axis=axis))


@composite("numpy", dtype=_spaced, shape=_spaced_shape, checked=True)
def geomspace(
    start: Tensor, stop: Tensor, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Numbers in equal ratios from `start` to `stop`.

    Args:
        start, stop: ends, of the same sign and not 0; tensors that broadcast against each other.
        num: how many.
        endpoint: whether `stop` is the last of them.
        dtype: default the promoted float dtype of the ends.
        axis: where the new axis stands in the output.

    Returns:
        A tensor with one more dimension, of size `num`.

    Example:
        >>> geomspace(1.0, 1000.0, num=4)
        [1.0, 10.0, 100.0, 1000.0]
    """
    ramp, first, last = _ramp(start, stop, num)
    gaps = max(num - 1 if endpoint else num, 1)
    unit = kops.sign(first)  # of complex numbers the points lie on a spiral
    low, high = kops.log(kops.absolute(first)), kops.log(kops.divide(last, unit))
    steps = kops.multiply(ramp, kops.divide(kops.subtract(high, low), gaps))
    values = kops.multiply(unit, kops.exp(kops.add(low, steps)))
    values = kops.where(kops.equal(ramp, 0), first, values)  # the ends exactly
    if endpoint and num > 1:
        values = kops.where(kops.equal(ramp, num - 1), last, values)
    return kops.moveaxis(values, 0, axis) if axis != 0 else values


def _grid_dtypes(ds: Any, **static: Any) -> Any:
    return None, tuple(promote.natural(d) for d in ds)


def _grid_shape(*xs: Any, indexing: str = "xy") -> Any:
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is 'xy' or 'ij', not {indexing!r}.")
    if any(len(x.shape) > 1 for x in xs):
        raise ValueError("grids are made from tensors of one dimension.")
    sizes = [x.shape[0] if len(x.shape) else 1 for x in xs]
    if indexing == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1], sizes[0]
    return [tuple(sizes) for _ in xs]


@composite("numpy", dtype=_grid_dtypes, shape=_grid_shape, checked=True)
def meshgrid(*x: Tensors, indexing: str = "xy") -> Any:
    """Coordinates of a grid: each tensor spread along an axis of its own.

    Args:
        *x: tensors of one dimension.
        indexing: `"ij"`: the first tensor varies along axis 0; `"xy"`: the first two change places.

    Returns:
        A list of as many tensors, each with one dimension per argument.
    """
    axes = list(range(len(x)))
    if indexing == "xy" and len(x) > 1:
        axes[:2] = 1, 0
    flat = [kops.reshape(v, (-1,)) for v in x]
    target = [kops.shape(flat[axes.index(i)])[0] for i in range(len(x))]
    return [
        kops.broadcast_to(kops.reshape(v, tuple(-1 if i == axis else 1 for i in range(len(x)))), tuple(target))
        for v, axis in zip(flat, axes)
    ]
