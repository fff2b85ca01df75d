"""Elementwise formulas that tell cases apart."""

from __future__ import annotations

import math
from typing import Any

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite
from kops.engine import engine

_LN2 = math.log(2)


@composite("numpy", dtype=promote.inexact, shape=shapes.broadcast)
def divide_no_nan(x1: Tensor, x2: Tensor) -> Any:
    """Quotient `x1 / x2`, and 0 where `x2` is 0, with gradients 0 there.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """
    zero = kops.equal(x2, 0)
    return kops.where(zero, 0, kops.divide(x1, kops.where(zero, 1, x2)))


@composite("numpy", dtype=promote.ordered, shape=shapes.broadcast)
def fmax(x1: Tensor, x2: Tensor) -> Any:
    """The larger of two numbers; NaN only if both are.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """
    return kops.where(kops.isnan(x1), x2, kops.where(kops.isnan(x2), x1, kops.maximum(x1, x2)))


@composite("numpy", dtype=promote.ordered, shape=shapes.broadcast)
def fmin(x1: Tensor, x2: Tensor) -> Any:
    """The smaller of two numbers; NaN only if both are.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """
    return kops.where(kops.isnan(x1), x2, kops.where(kops.isnan(x2), x1, kops.minimum(x1, x2)))


def flat_at_zero(function: Any, x: Any) -> Any:
    """A root, with slope 0 where `x` is 0 instead of an infinite one, which would make what lies before it NaN."""
    if not engine().HAS_GRADIENTS:
        return function(x)
    zero = kops.equal(x, 0)
    return kops.where(zero, 0, function(kops.where(zero, 1, x)))


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.broadcast)
def hypot(x1: Tensor, x2: Tensor) -> Any:
    """`sqrt(x1**2 + x2**2)`, without overflow on the way.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """
    x1, x2 = kops.absolute(x1), kops.absolute(x2)
    large, small = kops.maximum(x1, x2), kops.minimum(x1, x2)
    ratio = kops.divide(small, kops.where(kops.equal(large, 0), 1, large))
    length = kops.multiply(large, kops.sqrt(kops.add(kops.square(ratio), 1)))
    return kops.where(kops.logical_or(kops.isinf(x1), kops.isinf(x2)), float("inf"), length)


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.broadcast)
def heaviside(x1: Tensor, x2: Tensor) -> Any:
    """Step function: 0 where `x1 < 0`, `x2` where `x1 == 0`, 1 where `x1 > 0`.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """
    return kops.where(kops.equal(x1, 0), x2, kops.multiply(kops.add(kops.sign(x1), 1), 0.5))


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.broadcast)
def logaddexp(x1: Tensor, x2: Tensor) -> Any:
    """`log(exp(x1) + exp(x2))` without overflow.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """
    # Equal arguments apart: their difference is NaN when both are infinite, and half of the gradient is each one's.
    same = kops.equal(x1, x2)
    distance = kops.absolute(kops.subtract(kops.where(same, 0, x1), kops.where(same, 0, x2)))
    larger = kops.where(same, kops.add(kops.multiply(x1, 0.5), kops.multiply(x2, 0.5)), kops.maximum(x1, x2))
    return kops.add(larger, kops.log1p(kops.exp(kops.negative(distance))))


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.broadcast)
def logaddexp2(x1: Tensor, x2: Tensor) -> Any:
    """`log2(2**x1 + 2**x2)` without overflow.

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """
    return kops.divide(logaddexp(kops.multiply(x1, _LN2), kops.multiply(x2, _LN2)), _LN2)


@composite("numpy", dtype=promote.real_inexact_only, shape=shapes.same)
def sinc(x: Tensor) -> Any:
    """`sin(pi x) / (pi x)`, and 1 at 0.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
    zero = kops.equal(x, 0)
    angle = kops.multiply(kops.where(zero, 1, x), math.pi)
    return kops.where(zero, 1, kops.divide(kops.sin(angle), angle))
