"""Elementwise exponentials, logarithms, trigonometric and special functions."""

from __future__ import annotations

from typing import Any

from kops import promote, shapes
from kops.declare import Tensor, primitive


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def exp(x: Tensor) -> Any:
    """Exponential `e**x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def exp2(x: Tensor) -> Any:
    """`2**x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def expm1(x: Tensor) -> Any:
    """`exp(x) - 1`, exact for small `x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def log(x: Tensor) -> Any:
    """Natural logarithm. Negative real numbers give NaN.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def log2(x: Tensor) -> Any:
    """Logarithm to base 2.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def log10(x: Tensor) -> Any:
    """Logarithm to base 10.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def log1p(x: Tensor) -> Any:
    """`log(1 + x)`, exact for small `x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def sin(x: Tensor) -> Any:
    """Sine.

    Args:
        x: a tensor of angles in radians.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def cos(x: Tensor) -> Any:
    """Cosine.

    Args:
        x: a tensor of angles in radians.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def tan(x: Tensor) -> Any:
    """Tangent.

    Args:
        x: a tensor of angles in radians.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def arcsin(x: Tensor) -> Any:
    """Inverse sine, in [-pi/2, pi/2]; NaN outside of [-1, 1].

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def arccos(x: Tensor) -> Any:
    """Inverse cosine, in [0, pi]; NaN outside of [-1, 1].

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def arctan(x: Tensor) -> Any:
    """Inverse tangent, in [-pi/2, pi/2].

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.real_inexact_only, shape=shapes.broadcast)
def arctan2(x1: Tensor, x2: Tensor) -> Any:
    """Angle of the point `(x2, x1)`: the inverse tangent of `x1 / x2` in the right quadrant, in [-pi, pi].

    Args:
        x1, x2: tensors that broadcast against each other.

    Returns:
        The broadcast tensor, float.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def sinh(x: Tensor) -> Any:
    """Hyperbolic sine.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def cosh(x: Tensor) -> Any:
    """Hyperbolic cosine.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def tanh(x: Tensor) -> Any:
    """Hyperbolic tangent.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def arcsinh(x: Tensor) -> Any:
    """Inverse hyperbolic sine.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def arccosh(x: Tensor) -> Any:
    """Inverse hyperbolic cosine; NaN below 1.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.inexact, shape=shapes.same)
def arctanh(x: Tensor) -> Any:
    """Inverse hyperbolic tangent; NaN outside of [-1, 1].

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`, float or complex.
    """


@primitive("numpy", dtype=promote.real_inexact_only, shape=shapes.same)
def i0(x: Tensor) -> Any:
    """Modified Bessel function of the first kind, order 0.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """


@primitive("keras.ops.erf", dtype=promote.real_inexact_only, shape=shapes.same, node="math:")
def erf(x: Tensor) -> Any:
    """Error function: `2 / sqrt(pi)` times the integral of `exp(-t**2)` from 0 to `x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """


@primitive("keras.ops.erfc", dtype=promote.real_inexact_only, shape=shapes.same, node="math:")
def erfc(x: Tensor) -> Any:
    """`1 - erf(x)`, exact for large `x`.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """


@primitive("keras.ops.erfinv", dtype=promote.real_inexact_only, shape=shapes.same, node="math:")
def erfinv(x: Tensor) -> Any:
    """Inverse of the error function; NaN outside of [-1, 1].

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """
