"""Elementwise ops, all in one place for those who import them."""

from __future__ import annotations

# ruff: noqa: F401, I001
# fmt: off
from kops.ops.elementwise_arithmetic import (
    absolute, add, cbrt, ceil, clip, deg2rad, divide, fabs, floor, floor_divide, fmod, ldexp,
    maximum, minimum, mod, multiply, negative, nextafter, power, rad2deg, reciprocal, round, rsqrt,
    sign, sqrt, square, subtract, true_divide, trunc,
)
from kops.ops.elementwise_comparison import (
    allclose, equal, greater, greater_equal, isclose, isfinite, isinf, isnan, isneginf, isposinf,
    less, less_equal, logical_and, logical_not, logical_or, logical_xor, nan_to_num, not_equal,
    select, signbit, where,
)
from kops.ops.elementwise_complex import (
    angle, conjugate, imag, isreal, polar, real, view_as_complex, view_as_real,
)
from kops.ops.elementwise_functions import (
    arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh, cos, cosh, erf, erfc, erfinv, exp,
    exp2, expm1, i0, log, log10, log1p, log2, sin, sinh, tan, tanh,
)
from kops.ops.elementwise_integers import (
    bitwise_and, bitwise_invert, bitwise_left_shift, bitwise_not, bitwise_or, bitwise_right_shift,
    bitwise_xor, gcd, lcm, left_shift, right_shift,
)
from kops.ops.elementwise_piecewise import (
    divide_no_nan, fmax, fmin, heaviside, hypot, logaddexp, logaddexp2, sinc,
)
