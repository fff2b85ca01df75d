"""The error function and its kin, which NumPy lacks.

W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of Computation 23 (1969);
M. Giles, "Approximating the erfinv function", GPU Computing Gems 2 (2011), refined by Halley's method.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kops.backends.numpy.pieces import in_pieces

# Numerators and denominators for |x| <= 0.46875, up to 4, and beyond, highest power first.
_A = [1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3]
_B = [1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3]
_C = [
    2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1, 2.98635138197400131e2,
    8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3,
]  # fmt: skip
_D = [
    1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
    3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
]  # fmt: skip
_P = [
    1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
    1.60837851487422766e-2, 6.58749161529837803e-4,
]  # fmt: skip
_Q = [
    1.0, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2,
    2.33520497626869185e-3,
]  # fmt: skip
_CENTRAL = [
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
    0.246640727, 1.50140941,
]  # fmt: skip
_TAIL = [
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
    1.00167406, 2.83297682,
]  # fmt: skip


# For results of 32 bits and less, fitted for this module with relative errors below 1e-8: erf(x) / x in x**2 up to 4,
# and erfc(x) * exp(x**2) in x up to 11.
_NARROW = [
    -1.3202206829462176e-08, 4.68477233591494e-06, 3.796087284610797e-04, 3.849613449648679e-03,
    5.431691609277413e-02, 1.8520327632428288e-01, 1.1283791693783407,
]  # fmt: skip
_NARROW_BELOW = [
    6.31105312777824e-05, 1.3075700754338175e-03, 1.5462093263670016e-02, 1.1395843645039218e-01,
    4.974655440092501e-01, 1.0,
]  # fmt: skip
_SCALED = [
    3.3538527561057255e-02, 2.3273843491656201e-01, 7.38968852905253e-01, 1.245418452079763, 1.0000000067353119,
]  # fmt: skip
_SCALED_BELOW = [
    5.9444906114601424e-02, 4.125412652432369e-01, 1.339119580843509, 2.4175026830584163, 2.373798290471048, 1.0,
]  # fmt: skip


def _polynomial(coefficients: Any, x: Any) -> Any:
    y = coefficients[0] * x
    y += coefficients[1]
    for c in coefficients[2:]:
        y *= x
        y += c
    return y


def _where(condition: Any, x: Any, inside: Any, outside: Any) -> Any:
    """`inside(x)` where the condition holds, else `outside(x)`, each computed of its own elements only."""
    if condition.all():
        return inside(x)
    if not condition.any():
        return outside(x)
    rest = ~condition
    out = np.empty_like(x)
    out[condition] = inside(x[condition])
    out[rest] = outside(x[rest])
    return out


def _small(x: Any) -> Any:
    square = x * x
    return x * _polynomial(_A, square) / _polynomial(_B, square)


def _middle(size: Any) -> Any:
    return _polynomial(_C, size) / _polynomial(_D, size)


def _far(size: Any) -> Any:
    size = np.minimum(size, 30)
    inverse = 1 / (size * size)
    return (1 / np.sqrt(np.pi) - inverse * _polynomial(_P, inverse) / _polynomial(_Q, inverse)) / size


def _complement(size: Any) -> Any:
    """erfc for sizes above 0.46875."""
    factor = _where(size <= 4, size, _middle, _far)
    size = np.minimum(size, 30)
    # exp(-x**2) in two factors, the first of a number whose square is exact.
    rough = np.floor(size * 16) / 16
    return np.exp(-rough * rough) * np.exp(-(size - rough) * (size + rough)) * factor


def _narrow_complement(size: Any) -> Any:
    size = np.minimum(size, 11)
    return np.exp(-size * size) * _polynomial(_SCALED, size) / _polynomial(_SCALED_BELOW, size)


def _narrow(x: Any) -> Any:
    x = np.clip(x, -4, 4)
    square = x * x
    return x * _polynomial(_NARROW, square) / _polynomial(_NARROW_BELOW, square)


_FEW = 256  # elements for which a call of Python's own function each costs less than two dozen passes


def _one_by_one(function: Any, x: Any) -> Any:
    return np.array([function(v) for v in x.ravel().tolist()], x.dtype).reshape(x.shape)


@in_pieces
def erf(x: Any) -> Any:
    if x.size <= _FEW:
        return _one_by_one(math.erf, x)
    wide = np.asarray(x, np.float64)
    if x.dtype != np.float64:
        return _narrow(wide).astype(x.dtype)
    return _where(np.abs(x) <= 0.46875, x, _small, lambda v: np.copysign(1 - _complement(np.abs(v)), v))


@in_pieces
def erfc(x: Any) -> Any:
    if x.size <= _FEW:
        return _one_by_one(math.erfc, x)

    def large(v: Any) -> Any:
        c = (_complement if x.dtype == np.float64 else _narrow_complement)(np.abs(v))
        return np.where(v < 0, 2 - c, c)

    wide = np.asarray(x, np.float64)
    if x.dtype != np.float64:
        return large(wide).astype(x.dtype)
    return _where(np.abs(wide) <= 0.46875, wide, lambda v: 1 - _small(v), large)


@in_pieces
def erfinv(x: Any) -> Any:
    dtype = x.dtype
    narrow = dtype != np.float64  # the polynomials alone have 2e-7
    x = np.asarray(x, np.float32 if narrow else np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        w = -np.log((1 - x) * (1 + x))
        y = x * _where(w < 5, w, lambda v: _polynomial(_CENTRAL, v - 2.5), lambda v: _polynomial(_TAIL, np.sqrt(v) - 3))
        if not narrow:  # beyond the polynomials, the first terms of the asymptotic series
            log = w + np.log(2)
            y = np.where(w < 16, y, np.copysign(np.sqrt(log - 0.5 * np.log(np.pi * log)), x))
        edge = np.abs(x) == 1
        y = np.where(edge, 0, y)
        for _ in range(0 if narrow else 2):
            # Near 1 the residual through the complement, which keeps its digits there.
            far = np.copysign(1, x) * ((1 - np.abs(x)) - erfc(np.abs(y)))
            residual = np.where(np.abs(x) < 0.5, erf(y) - x, far)
            step = residual / (2 / np.sqrt(np.pi) * np.exp(-y * y))
            y = y - step / (1 + y * step)
    return np.where(edge, np.copysign(np.inf, x), y).astype(dtype)
