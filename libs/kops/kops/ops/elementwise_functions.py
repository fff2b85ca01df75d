"""Elementwise exponentials, logarithms, trigonometric and special functions."""

from __future__ import annotations

from typing import Any

from kops import promote, shapes
from kops.declare import Tensor, primitive
from kspec import public


@public("keras.ops.exp", "keras.ops.numpy.exp")
@primitive(dtype=promote.inexact, shape=shapes.same)
def exp(x: Tensor) -> Any:
    """Exponential `e**x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.exp2", "keras.ops.numpy.exp2")
@primitive(dtype=promote.inexact, shape=shapes.same)
def exp2(x: Tensor) -> Any:
    """`2**x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.expm1", "keras.ops.numpy.expm1")
@primitive(dtype=promote.inexact, shape=shapes.same)
def expm1(x: Tensor) -> Any:
    """`exp(x) - 1`, exact for small `x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.log", "keras.ops.numpy.log")
@primitive(dtype=promote.inexact, shape=shapes.same)
def log(x: Tensor) -> Any:
    """Natural logarithm. Negative real numbers give NaN.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.log2", "keras.ops.numpy.log2")
@primitive(dtype=promote.inexact, shape=shapes.same)
def log2(x: Tensor) -> Any:
    """Logarithm to base 2.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.log10", "keras.ops.numpy.log10")
@primitive(dtype=promote.inexact, shape=shapes.same)
def log10(x: Tensor) -> Any:
    """Logarithm to base 10.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.log1p", "keras.ops.numpy.log1p")
@primitive(dtype=promote.inexact, shape=shapes.same)
def log1p(x: Tensor) -> Any:
    """`log(1 + x)`, exact for small `x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.sin", "keras.ops.numpy.sin")
@primitive(dtype=promote.inexact, shape=shapes.same)
def sin(x: Tensor) -> Any:
    """Sine.

    Args:
        x: a tensor of angles in radians.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.cos", "keras.ops.numpy.cos")
@primitive(dtype=promote.inexact, shape=shapes.same)
def cos(x: Tensor) -> Any:
    """Cosine.

    Args:
        x: a tensor of angles in radians.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.tan", "keras.ops.numpy.tan")
@primitive(dtype=promote.inexact, shape=shapes.same)
def tan(x: Tensor) -> Any:
    """Tangent.

    Args:
        x: a tensor of angles in radians.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.arcsin", "keras.ops.numpy.arcsin")
@primitive(dtype=promote.inexact, shape=shapes.same)
def arcsin(x: Tensor) -> Any:
    """Inverse sine, in [-pi/2, pi/2]; NaN outside of [-1, 1].

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.arccos", "keras.ops.numpy.arccos")
@primitive(dtype=promote.inexact, shape=shapes.same)
def arccos(x: Tensor) -> Any:
    """Inverse cosine, in [0, pi]; NaN outside of [-1, 1].

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.arctan", "keras.ops.numpy.arctan")
@primitive(dtype=promote.inexact, shape=shapes.same)
def arctan(x: Tensor) -> Any:
    """Inverse tangent, in [-pi/2, pi/2].

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.arctan2", "keras.ops.numpy.arctan2")
@primitive(dtype=promote.real_inexact_only, shape=shapes.broadcast)
def arctan2(x1: Tensor, x2: Tensor) -> Any:
    """Angle of the point `(x2, x1)`: the inverse tangent of `x1 / x2` in the right quadrant, in [-pi, pi].

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """


@public("keras.ops.sinh", "keras.ops.numpy.sinh")
@primitive(dtype=promote.inexact, shape=shapes.same)
def sinh(x: Tensor) -> Any:
    """Hyperbolic sine.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.cosh", "keras.ops.numpy.cosh")
@primitive(dtype=promote.inexact, shape=shapes.same)
def cosh(x: Tensor) -> Any:
    """Hyperbolic cosine.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.tanh", "keras.ops.numpy.tanh")
@primitive(dtype=promote.inexact, shape=shapes.same)
def tanh(x: Tensor) -> Any:
    """Hyperbolic tangent.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.arcsinh", "keras.ops.numpy.arcsinh")
@primitive(dtype=promote.inexact, shape=shapes.same)
def arcsinh(x: Tensor) -> Any:
    """Inverse hyperbolic sine.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.arccosh", "keras.ops.numpy.arccosh")
@primitive(dtype=promote.inexact, shape=shapes.same)
def arccosh(x: Tensor) -> Any:
    """Inverse hyperbolic cosine; NaN below 1.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.arctanh", "keras.ops.numpy.arctanh")
@primitive(dtype=promote.inexact, shape=shapes.same)
def arctanh(x: Tensor) -> Any:
    """Inverse hyperbolic tangent; NaN outside of [-1, 1].

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@public("keras.ops.i0", "keras.ops.numpy.i0")
@primitive(dtype=promote.real_inexact_only, shape=shapes.same)
def i0(x: Tensor) -> Any:
    """Modified Bessel function of the first kind, order 0.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """


@public("keras.ops.erf")
@primitive(dtype=promote.real_inexact_only, shape=shapes.same, node="math:")
def erf(x: Tensor) -> Any:
    """Error function: `2 / sqrt(pi)` times the integral of `exp(-t**2)` from 0 to `x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """


@public("keras.ops.erfc")
@primitive(dtype=promote.real_inexact_only, shape=shapes.same, node="math:")
def erfc(x: Tensor) -> Any:
    """`1 - erf(x)`, exact for large `x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """


@public("keras.ops.erfinv")
@primitive(dtype=promote.real_inexact_only, shape=shapes.same, node="math:")
def erfinv(x: Tensor) -> Any:
    """Inverse of the error function; NaN outside of [-1, 1].

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
