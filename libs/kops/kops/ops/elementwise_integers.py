"""Elementwise ops of integers: bits and divisors."""

from __future__ import annotations

from typing import Any

from kops import promote, shapes
from kops.declare import Tensor, composite, primitive
from kops.ops.elementwise_arithmetic import absolute, floor_divide, multiply
from kops.ops.elementwise_comparison import equal, where
from kspec import public


@public("keras.ops.bitwise_and", "keras.ops.numpy.bitwise_and")
@primitive(dtype=promote.bits, shape=shapes.broadcast)
def bitwise_and(x: Tensor, y: Tensor) -> Any:
    """Bitwise and.

    Args:
        x, y: tensors of integers or bools that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@public("keras.ops.bitwise_or", "keras.ops.numpy.bitwise_or")
@primitive(dtype=promote.bits, shape=shapes.broadcast)
def bitwise_or(x: Tensor, y: Tensor) -> Any:
    """Bitwise or.

    Args:
        x, y: tensors of integers or bools that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@public("keras.ops.bitwise_xor", "keras.ops.numpy.bitwise_xor")
@primitive(dtype=promote.bits, shape=shapes.broadcast)
def bitwise_xor(x: Tensor, y: Tensor) -> Any:
    """Bitwise exclusive or.

    Args:
        x, y: tensors of integers or bools that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@public("keras.ops.bitwise_not", "keras.ops.numpy.bitwise_not")
@primitive(dtype=promote.bits, shape=shapes.same)
def bitwise_not(x: Tensor) -> Any:
    """Every bit inverted: `-x - 1`; of bools the logical not.

    Args:
        x: a tensor of integers or bools.

    Returns:
        A tensor of the shape and dtype of `x`.
    """


@public("keras.ops.bitwise_invert", "keras.ops.numpy.bitwise_invert")
@composite(dtype=promote.bits, shape=shapes.same)
def bitwise_invert(x: Tensor) -> Any:
    """Every bit inverted; another name of `bitwise_not`.

    Args:
        x: a tensor of integers or bools.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    return bitwise_not(x)


@public("keras.ops.left_shift", "keras.ops.numpy.left_shift")
@primitive(dtype=promote.integers, shape=shapes.broadcast)
def left_shift(x: Tensor, y: Tensor) -> Any:
    """Bits shifted to the left: `x * 2**y`.

    Args:
        x, y: tensors of integers that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@public("keras.ops.bitwise_left_shift", "keras.ops.numpy.bitwise_left_shift")
@composite(dtype=promote.integers, shape=shapes.broadcast)
def bitwise_left_shift(x: Tensor, y: Tensor) -> Any:
    """Bits shifted to the left; another name of `left_shift`.

    Args:
        x, y: tensors of integers that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """
    return left_shift(x, y)


@public("keras.ops.right_shift", "keras.ops.numpy.right_shift")
@primitive(dtype=promote.integers, shape=shapes.broadcast)
def right_shift(x: Tensor, y: Tensor) -> Any:
    """Bits shifted to the right: `floor(x / 2**y)`.

    Args:
        x, y: tensors of integers that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@public("keras.ops.bitwise_right_shift", "keras.ops.numpy.bitwise_right_shift")
@composite(dtype=promote.integers, shape=shapes.broadcast)
def bitwise_right_shift(x: Tensor, y: Tensor) -> Any:
    """Bits shifted to the right; another name of `right_shift`.

    Args:
        x, y: tensors of integers that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """
    return right_shift(x, y)


@public("keras.ops.gcd", "keras.ops.numpy.gcd")
@primitive(dtype=promote.integers, shape=shapes.broadcast)
def gcd(x1: Tensor, x2: Tensor) -> Any:
    """Greatest common divisor; `gcd(0, 0)` is 0.

    Args:
        x1, x2: tensors of integers that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """


@public("keras.ops.lcm", "keras.ops.numpy.lcm")
@composite(dtype=promote.integers, shape=shapes.broadcast)
def lcm(x1: Tensor, x2: Tensor) -> Any:
    """Least common multiple; 0 if one number is 0.

    Args:
        x1, x2: tensors of integers that broadcast against each other.

    Returns:
        The broadcast tensor in the promoted dtype.
    """
    divisor = gcd(x1, x2)
    return absolute(multiply(floor_divide(x1, where(equal(divisor, 0), 1, divisor)), x2))
