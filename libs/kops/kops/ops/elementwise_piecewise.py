"""Elementwise formulas that tell cases apart."""

from __future__ import annotations

import math
from typing import Any

from kops import promote, shapes
from kops.declare import Tensor, composite
from kops.engine import engine
from kops.ops.elementwise_arithmetic import (
    absolute,
    add,
    divide,
    maximum,
    minimum,
    multiply,
    negative,
    sqrt,
    square,
    subtract,
)
from kops.ops.elementwise_comparison import equal, isinf, isnan, less, logical_or, where
from kops.ops.elementwise_functions import exp, log1p, sin

_LN2 = math.log(2)


@composite("numpy", dtype=promote.inexact, shape=shapes.broadcast)
def divide_no_nan(x1: Tensor, x2: Tensor) -> Any:
    """Quotient `x1 / x2`, and 0 where `x2` is 0, with gradients 0 there.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """
    zero = equal(x2, 0)
    return where(zero, 0, divide(x1, where(zero, 1, x2)))


@composite("numpy", dtype=promote.ordered, shape=shapes.broadcast)
def fmax(x1: Tensor, x2: Tensor) -> Any:
    """The larger of two numbers; NaN only if both are.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """
    return where(isnan(x1), x2, where(isnan(x2), x1, maximum(x1, x2)))


@composite("numpy", dtype=promote.ordered, shape=shapes.broadcast)
def fmin(x1: Tensor, x2: Tensor) -> Any:
    """The smaller of two numbers; NaN only if both are.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """
    return where(isnan(x1), x2, where(isnan(x2), x1, minimum(x1, x2)))


def flat_at_zero(function: Any, x: Any) -> Any:
    """A root, with slope 0 where `x` is 0 instead of an infinite one, which would make what lies before it NaN."""
    if not engine().HAS_GRADIENTS:
        return function(x)
    zero = equal(x, 0)
    return where(zero, 0, function(where(zero, 1, x)))


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.broadcast)
def hypot(x1: Tensor, x2: Tensor) -> Any:
    """`sqrt(x1**2 + x2**2)`, without overflow on the way.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """
    x1, x2 = absolute(x1), absolute(x2)
    large, small = maximum(x1, x2), minimum(x1, x2)
    ratio = divide(small, where(equal(large, 0), 1, large))
    length = multiply(large, sqrt(add(square(ratio), 1)))
    return where(logical_or(isinf(x1), isinf(x2)), float("inf"), length)


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.broadcast)
def heaviside(x1: Tensor, x2: Tensor) -> Any:
    """Step function: 0 where `x1 < 0`, `x2` where `x1 == 0`, 1 where `x1 > 0`.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """
    step = where(less(x1, 0), 0, where(equal(x1, 0), x2, 1))
    return where(isnan(x1), x1, step)


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.broadcast)
def logaddexp(x1: Tensor, x2: Tensor) -> Any:
    """`log(exp(x1) + exp(x2))` without overflow.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """
    # Equal arguments apart: their difference is NaN when both are infinite, and half of the gradient is each one's.
    same = equal(x1, x2)
    distance = absolute(subtract(where(same, 0, x1), where(same, 0, x2)))
    larger = where(same, add(multiply(x1, 0.5), multiply(x2, 0.5)), maximum(x1, x2))
    return add(larger, log1p(exp(negative(distance))))


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.broadcast)
def logaddexp2(x1: Tensor, x2: Tensor) -> Any:
    """`log2(2**x1 + 2**x2)` without overflow.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """
    return divide(logaddexp(multiply(x1, _LN2), multiply(x2, _LN2)), _LN2)


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.same)
def sinc(x: Tensor) -> Any:
    """`sin(pi x) / (pi x)`, and 1 at 0.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
    zero = equal(x, 0)
    angle = multiply(where(zero, 1, x), math.pi)
    return where(zero, 1, divide(sin(angle), angle))
