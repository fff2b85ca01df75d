"""Elementwise arithmetic, rounding and limits."""

from __future__ import annotations

import math
from typing import Any

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite, primitive


@primitive("numpy", dtype=promote.common, shape=shapes.broadcast)
def add(x1: Tensor, x2: Tensor) -> Any:
    """Sum `x1 + x2`.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@primitive("numpy", dtype=promote.numeric, shape=shapes.broadcast)
def subtract(x1: Tensor, x2: Tensor) -> Any:
    """Difference `x1 - x2`; of bools in int32.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@primitive("numpy", dtype=promote.common, shape=shapes.broadcast)
def multiply(x1: Tensor, x2: Tensor) -> Any:
    """Product `x1 * x2`.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.broadcast)
def divide(x1: Tensor, x2: Tensor) -> Any:
    """Quotient `x1 / x2`; of integers, too, a float.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """


@composite("numpy", dtype=promote.inexact, shape=shapes.broadcast)
def true_divide(x1: Tensor, x2: Tensor) -> Any:
    """Quotient `x1 / x2`; another name of `divide`.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """
    return divide(x1, x2)


@primitive("numpy", dtype=promote.real_numeric, shape=shapes.broadcast)
def floor_divide(x1: Tensor, x2: Tensor) -> Any:
    """Quotient rounded towards minus infinity, `floor(x1 / x2)`.

    Args:
        x1, x2: tensors that broadcast against each other; not complex.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@primitive("numpy", dtype=promote.real_numeric, shape=shapes.broadcast)
def mod(x1: Tensor, x2: Tensor) -> Any:
    """Remainder of the division that rounds down: `x1 - x2 * floor(x1 / x2)`, with the sign of `x2`.

    Args:
        x1, x2: tensors that broadcast against each other; not complex.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@primitive("numpy", dtype=promote.real_numeric, shape=shapes.broadcast)
def fmod(x1: Tensor, x2: Tensor) -> Any:
    """Remainder of the division that rounds towards zero, with the sign of `x1`.

    Args:
        x1, x2: tensors that broadcast against each other; not complex.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@primitive("numpy", dtype=promote.numeric, shape=shapes.broadcast)
def power(x1: Tensor, x2: Tensor) -> Any:
    """`x1` raised to the power `x2`.

    An integer to a negative power is 0, except for 1 and -1.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@primitive("numpy", dtype=promote.numeric, shape=shapes.same)
def negative(x: Tensor) -> Any:
    """`-x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape and dtype of `x`; bools become int32.
    """


@primitive("numpy", "keras.ops.abs", "keras.ops.numpy.abs", dtype=promote.magnitude, shape=shapes.same)
def absolute(x: Tensor) -> Any:
    """Absolute value; of complex numbers the magnitude.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape and dtype of `x`; float if `x` is complex.
    """


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.same)
def fabs(x: Tensor) -> Any:
    """Absolute value as a float.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
    return absolute(x)


@primitive("numpy", dtype=promote.numeric, shape=shapes.same)
def sign(x: Tensor) -> Any:
    """-1, 0 or 1; NaN stays NaN. Of complex numbers `x / abs(x)`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape and dtype of `x`; bools become int32.
    """


@primitive("numpy", dtype=promote.numeric, shape=shapes.same)
def square(x: Tensor) -> Any:
    """`x * x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape and dtype of `x`; bools become int32.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def sqrt(x: Tensor) -> Any:
    """Square root. Negative real numbers give NaN.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("keras.ops.rsqrt", dtype=promote.inexact, shape=shapes.same, node="math:")
def rsqrt(x: Tensor) -> Any:
    """`1 / sqrt(x)`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.same)
def cbrt(x: Tensor) -> Any:
    """Cube root, also of negative numbers.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
    # At 0 the slope is infinite; the sign's product with it would be NaN.
    zero = kops.equal(x, 0)
    others = kops.where(zero, 1, x)
    root = multiply(sign(others), power(absolute(others), 1 / 3))
    return kops.where(zero, power(kops.where(zero, x, 1), 1 / 3), root)


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def reciprocal(x: Tensor) -> Any:
    """`1 / x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.real_inexact_only, shape=shapes.same)
def floor(x: Tensor) -> Any:
    """Largest integer not above `x`, as a float.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """


@primitive("numpy", dtype=promote.real_inexact_only, shape=shapes.same)
def ceil(x: Tensor) -> Any:
    """Smallest integer not below `x`, as a float.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """


@primitive("numpy", dtype=promote.real_numeric, shape=shapes.same)
def trunc(x: Tensor) -> Any:
    """`x` without its fraction: rounded towards zero.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape and dtype of `x`.
    """


@primitive("numpy", dtype=promote.real_numeric, shape=shapes.same)
def round(x: Tensor, decimals: int = 0) -> Any:
    """Rounding to a number of decimals, halves to the even neighbour.

    Args:
        x: a tensor of any shape.
        decimals: how many; negative to round to tens, hundreds, ...

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> round([0.5, 1.5, 2.25], decimals=1)
        [0.5, 1.5, 2.2]
    """


@primitive("numpy", dtype=promote.real_numeric, shape=shapes.same)
def clip(x: Tensor, x_min: float | None, x_max: float | None) -> Any:
    """`x` limited to the interval `[x_min, x_max]`.

    Args:
        x: a tensor of any shape.
        x_min, x_max: numbers, or tensors that broadcast to the shape of `x`; None for no limit.

    Returns:
        A tensor of the shape and dtype of `x`; bools become int32. Limits are cast to that, too.
    """


@primitive("numpy", dtype=promote.ordered, shape=shapes.broadcast)
def maximum(x1: Tensor, x2: Tensor) -> Any:
    """The larger of two numbers; NaN if one is NaN.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@primitive("numpy", dtype=promote.ordered, shape=shapes.broadcast)
def minimum(x1: Tensor, x2: Tensor) -> Any:
    """The smaller of two numbers; NaN if one is NaN.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@primitive("numpy", dtype=promote.real_inexact_only, shape=shapes.broadcast)
def nextafter(x1: Tensor, x2: Tensor) -> Any:
    """The representable number next to `x1` in the direction of `x2`.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """


@primitive("numpy", dtype=promote.scaled, shape=shapes.broadcast)
def ldexp(x1: Tensor, x2: Tensor) -> Any:
    """`x1 * 2**x2`.

    Args:
        x1, x2: tensors that broadcast against each other; `x2` holds integers.

    Returns:
        The broadcast tensor, float.

    Raises:
        TypeError: when `x2` is not of integers.
    """


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.same)
def deg2rad(x: Tensor) -> Any:
    """Degrees to radians.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
    return multiply(x, math.pi / 180)


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.same)
def rad2deg(x: Tensor) -> Any:
    """Radians to degrees.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
    return multiply(x, 180 / math.pi)
