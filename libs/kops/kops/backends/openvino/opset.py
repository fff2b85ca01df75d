"""OpenVINO's op set as it should be; kernels take it from here.

Corrected is what the CPU plug-in computes otherwise than the op set says: it loses NaN, its maxima end at the largest
finite number, and sums of integers go by way of float32.
"""

from __future__ import annotations

import builtins
from typing import Any, Callable

import numpy as np
import openvino.opset16 as plain
from openvino.opset16 import *  # noqa: F403

from kops.dtypes import limits


def is_float(x: Any) -> bool:
    return bool(x.get_element_type().is_real())


def scalar(value: Any, like: Any) -> Any:
    """In the dtype of a graph handle."""
    made = plain.constant(np.float64(value) if isinstance(value, float) else np.int64(value))
    return plain.convert(made, like.get_element_type()).output(0)


def _i64(value: Any) -> Any:
    return plain.constant(np.asarray(value, np.int64))


def _limits(x: Any) -> tuple[float, float]:
    return limits({"f16": "float16", "bf16": "bfloat16"}.get(x.get_element_type().get_type_name(), "float32"))


def _nan_stays(x: Any, y: Any) -> Any:
    """`y`, NaN where `x` is."""
    if not is_float(x):
        return plain.convert_like(y, x)
    return plain.select(plain.is_nan(x), x, y)


def exp(x: Any) -> Any:
    half = plain.exp(plain.multiply(x, scalar(0.5, x)))  # it is infinite from 88.4 on
    return _nan_stays(x, plain.multiply(half, half))


def is_wide(x: Any) -> bool:
    """Whether it holds integers that float32 does not: OpenVINO compares and selects in floats, with all around it.

    Positions have 64 bits, and are small.
    """
    return x.get_element_type().get_type_name() == "i32"


def _whole(build: Callable[..., Any]) -> Callable[..., Any]:
    """Of integers followed by an operation on bits, which floats have not."""

    def corrected(*args: Any) -> Any:
        found = build(*args)
        return plain.bitwise_or(found, scalar(0, found)) if is_wide(found) else found

    return corrected


add, subtract, multiply = _whole(plain.add), _whole(plain.subtract), _whole(plain.multiply)
negative, abs = _whole(plain.negative), _whole(plain.abs)


def not_equal(x: Any, y: Any) -> Any:
    return plain.not_equal(plain.bitwise_xor(x, y), scalar(0, x)) if is_wide(x) else plain.not_equal(x, y)


def equal(x: Any, y: Any) -> Any:
    return plain.logical_not(not_equal(x, y)) if is_wide(x) else plain.equal(x, y)


def less(x: Any, y: Any) -> Any:
    return not_equal(plain.maximum(x, y), x) if is_wide(x) else plain.less(x, y)


def less_equal(x: Any, y: Any) -> Any:
    return equal(plain.maximum(x, y), y) if is_wide(x) else plain.less_equal(x, y)


def greater(x: Any, y: Any) -> Any:
    return less(y, x)


def greater_equal(x: Any, y: Any) -> Any:
    return less_equal(y, x)


def select(condition: Any, x: Any, y: Any) -> Any:
    if not is_wide(x):
        return plain.select(condition, x, y)
    chosen = plain.subtract(scalar(0, x), plain.convert_like(condition, x))  # all bits or none
    return plain.bitwise_xor(y, plain.bitwise_and(plain.bitwise_xor(x, y), chosen))


def is_inf(x: Any) -> Any:
    return plain.equal(plain.abs(x), scalar(np.inf, x))


def is_finite(x: Any) -> Any:
    return plain.less(plain.abs(x), scalar(np.inf, x))


def sign(x: Any) -> Any:
    unsigned = x.get_element_type().is_integral() and not x.get_element_type().is_signed()
    return plain.convert_like(not_equal(x, scalar(0, x)), x) if unsigned else plain.sign(x)


def _joined(build: Callable[..., Any]) -> Callable[..., Any]:
    """Maximum or minimum: NaN of the second argument stays by itself."""

    def corrected(x: Any, y: Any) -> Any:
        return _nan_stays(x, build(x, y))

    return corrected


maximum, minimum = _joined(plain.maximum), _joined(plain.minimum)


def rising(x: Any) -> Any:
    """Numbers in the same order, NaN as infinity above all others."""
    infinite, largest = plain.equal(x, scalar(np.inf, x)), scalar(0.75 * _limits(x)[1], x)
    below = plain.select(infinite, largest, plain.multiply(x, scalar(0.5, x)))
    return plain.select(plain.is_nan(x), scalar(np.inf, x), below)


def topk(x: Any, k: Any, axis: int, mode: str, sort: str, **how: Any) -> tuple[Any, Any]:
    """Values and positions; NaN is above all numbers, and of equals the first comes first."""
    if not is_float(x):
        return tuple(plain.topk(x, k, axis, mode, sort, **how).outputs())  # type: ignore[return-value]
    places = plain.topk(rising(x), k, axis, mode, sort, **how).output(1)
    return plain.gather_elements(x, places, axis).output(0), places


def _extreme(mode: str) -> Callable[..., Any]:
    build, other = (plain.reduce_max, plain.reduce_min) if mode == "max" else (plain.reduce_min, plain.reduce_max)

    def corrected(x: Any, axes: Any, keepdims: bool = False) -> Any:
        if not is_float(x):
            return _axis_by_axis(x, axes, keepdims, lambda y, axis: topk(y, _i64(1), axis, mode, "value")[0])
        found, low, high = build(x, _i64(axes), keepdims), *(scalar(v, x) for v in _limits(x))
        # It begins with a finite number: what is not beyond that is infinite, or all there is.
        bare = plain.less_equal(found, low) if mode == "max" else plain.less_equal(high, found)
        found = plain.select(bare, other(x, _i64(axes), keepdims), found)
        return _nan_stays(plain.reduce_l1(x, _i64(axes), keepdims), found)

    return corrected


reduce_max, reduce_min = _extreme("max"), _extreme("min")


def _axis_by_axis(x: Any, axes: Any, keepdims: bool, reduce: Callable[[Any, int], Any]) -> Any:
    for axis in axes:
        x = reduce(x, axis)
    return x if keepdims or not axes else plain.squeeze(x, _i64(axes))


def reduce_sum(x: Any, axes: Any, keepdims: bool = False) -> Any:
    if is_float(x):
        return plain.reduce_sum(x, _i64(axes), keepdims)

    def last_sum(y: Any, axis: int) -> Any:
        rank = plain.shape_of(y).get_output_partial_shape(0)[0].get_length()
        begin = [int(i == axis) for i in builtins.range(rank)]  # a zero, for where there is nothing
        longer = plain.pad(y, _i64(begin), _i64([0] * len(begin)), "constant", scalar(0, y))
        return plain.gather(plain.cum_sum(longer, plain.constant(np.int32(axis))), _i64([-1]), _i64(axis))

    return _axis_by_axis(x, axes, keepdims, last_sum)


def scatter_nd_update(x: Any, places: Any, updates: Any, reduction: str) -> Any:
    found = plain.scatter_nd_update(x, places, updates, reduction)
    if reduction not in ("max", "min") or not is_float(x):
        return found
    # The sign of NaN is NaN, and signs have sums.
    return _nan_stays(plain.scatter_nd_update(plain.sign(x), places, plain.sign(updates), "sum"), found)
