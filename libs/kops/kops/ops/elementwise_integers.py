"""Elementwise ops of integers: bits and divisors."""

from __future__ import annotations

from typing import Any

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite, primitive


@primitive("numpy", dtype=promote.bits, shape=shapes.broadcast)
def bitwise_and(x: Tensor, y: Tensor) -> Any:
    """Bitwise and.

    Args:
        x, y: tensors of integers or bools that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@primitive("numpy", dtype=promote.bits, shape=shapes.broadcast)
def bitwise_or(x: Tensor, y: Tensor) -> Any:
    """Bitwise or.

    Args:
        x, y: tensors of integers or bools that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@primitive("numpy", dtype=promote.bits, shape=shapes.broadcast)
def bitwise_xor(x: Tensor, y: Tensor) -> Any:
    """Bitwise exclusive or.

    Args:
        x, y: tensors of integers or bools that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@primitive("numpy", dtype=promote.bits, shape=shapes.same)
def bitwise_not(x: Tensor) -> Any:
    """Every bit inverted: `-x - 1`; of bools the logical not.

    Args:
        x: a tensor of integers or bools.

    Returns:
        A tensor of the shape and dtype of `x`.
    """


@composite("numpy", dtype=promote.bits, shape=shapes.same)
def bitwise_invert(x: Tensor) -> Any:
    """Every bit inverted; another name of `bitwise_not`.

    Args:
        x: a tensor of integers or bools.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    return bitwise_not(x)


@primitive("numpy", dtype=promote.integers, shape=shapes.broadcast)
def left_shift(x: Tensor, y: Tensor) -> Any:
    """Bits shifted to the left: `x * 2**y`.

    Args:
        x, y: tensors of integers that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@composite("numpy", dtype=promote.integers, shape=shapes.broadcast)
def bitwise_left_shift(x: Tensor, y: Tensor) -> Any:
    """Bits shifted to the left; another name of `left_shift`.

    Args:
        x, y: tensors of integers that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """
    return left_shift(x, y)


@primitive("numpy", dtype=promote.integers, shape=shapes.broadcast)
def right_shift(x: Tensor, y: Tensor) -> Any:
    """Bits shifted to the right: `floor(x / 2**y)`.

    Args:
        x, y: tensors of integers that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@composite("numpy", dtype=promote.integers, shape=shapes.broadcast)
def bitwise_right_shift(x: Tensor, y: Tensor) -> Any:
    """Bits shifted to the right; another name of `right_shift`.

    Args:
        x, y: tensors of integers that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """
    return right_shift(x, y)


@composite("numpy", dtype=promote.integers, shape=shapes.broadcast)
def gcd(x1: Tensor, x2: Tensor) -> Any:
    """Greatest common divisor; `gcd(0, 0)` is 0.

    Args:
        x1, x2: tensors of integers that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """

    def euclid(a: Any, b: Any) -> Any:
        done = kops.equal(b, 0)
        return kops.where(done, a, b), kops.where(done, 0, kops.mod(a, kops.where(done, 1, b)))

    pair = [kops.absolute(kops.add(x, kops.zeros_like(y))) for x, y in ((x1, x2), (x2, x1))]
    found, _ = kops.while_loop(lambda a, b: kops.any(kops.not_equal(b, 0)), euclid, pair)
    return kops.absolute(found)  # a remainder of the lowest number has its sign


@composite("numpy", dtype=promote.integers, shape=shapes.broadcast)
def lcm(x1: Tensor, x2: Tensor) -> Any:
    """Least common multiple; 0 if one number is 0.

    Args:
        x1, x2: tensors of integers that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """
    divisor = gcd(x1, x2)
    return kops.absolute(kops.multiply(kops.floor_divide(x1, kops.where(kops.equal(divisor, 0), 1, divisor)), x2))
