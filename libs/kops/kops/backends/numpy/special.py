"""The error function and its kin, which NumPy lacks.

W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of Computation 23 (1969);
M. Giles, "Approximating the erfinv function", GPU Computing Gems 2 (2011), refined by Newton steps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

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


def _small(x: Any) -> Any:
    square = x * x
    return x * np.polyval(_A, square) / np.polyval(_B, square)


def _complement(size: Any) -> Any:
    """erfc for sizes above 0.46875."""
    middle = np.minimum(size, 4)
    far = np.clip(size, 4, 30)
    inverse = 1 / (far * far)
    tail = (1 / np.sqrt(np.pi) - inverse * np.polyval(_P, inverse) / np.polyval(_Q, inverse)) / far
    factor = np.where(size <= 4, np.polyval(_C, middle) / np.polyval(_D, middle), tail)
    size = np.minimum(size, 30)
    # exp(-x**2) in two factors, the first of a number whose square is exact.
    rough = np.floor(size * 16) / 16
    return np.exp(-rough * rough) * np.exp(-(size - rough) * (size + rough)) * factor


def _parts(x: Any) -> tuple[Any, Any, Any]:
    x = np.asarray(x, np.float64)
    size = np.abs(x)
    return x, size, size <= 0.46875


_FEW = 256  # elements for which a call of Python's own function each costs less than two dozen passes


def _one_by_one(function: Any, x: Any) -> Any:
    return np.array([function(v) for v in x.ravel().tolist()], x.dtype).reshape(x.shape)


def erf(x: Any) -> Any:
    if x.size <= _FEW:
        return _one_by_one(math.erf, x)
    dtype = x.dtype
    x, size, small = _parts(x)
    far = np.copysign(1 - _complement(np.maximum(size, 0.46875)), x)
    return np.where(small, _small(np.clip(x, -0.5, 0.5)), far).astype(dtype)


def erfc(x: Any) -> Any:
    if x.size <= _FEW:
        return _one_by_one(math.erfc, x)
    dtype = x.dtype
    x, size, small = _parts(x)
    far = _complement(np.maximum(size, 0.46875))
    far = np.where(x < 0, 2 - far, far)
    return np.where(small, 1 - _small(np.clip(x, -0.5, 0.5)), far).astype(dtype)


def erfinv(x: Any) -> Any:
    dtype = x.dtype
    narrow = dtype != np.float64  # the polynomials alone have 2e-7
    x = np.asarray(x, np.float32 if narrow else np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        w = -np.log((1 - x) * (1 + x))
        y = x * np.where(w < 5, np.polyval(_CENTRAL, w - 2.5), np.polyval(_TAIL, np.sqrt(np.maximum(w, 5)) - 3))
        edge = np.abs(x) == 1
        y = np.where(edge, 0, y)
        for _ in range(0 if narrow else 2):
            # The residual through the complement, which keeps its digits near 1.
            residual = np.copysign(1, x) * ((1 - np.abs(x)) - erfc(np.abs(y)))
            y = y - residual / (2 / np.sqrt(np.pi) * np.exp(-y * y))
    return np.where(edge, np.copysign(np.inf, x), y).astype(dtype)
