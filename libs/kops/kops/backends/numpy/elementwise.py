"""Elementwise kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.kernel_tables import kernels, native
from kops.backends.limit import limit
from kops.backends.numpy import special
from kops.declare import OPS


def _power(x: Any, y: Any) -> Any:
    # The operator has fast paths for scalar exponents, which np.power has not.
    try:
        return x**y
    except ValueError:  # integers to negative powers
        with np.errstate(divide="ignore"):
            flip = np.where(np.equal(x, -1) & (np.asarray(y) % 2 == 1), -1, 1)
            below = np.where(np.abs(x) == 1, flip, 0)
        return np.where(np.less(y, 0), below, x ** np.maximum(y, 0)).astype(np.result_type(x, y))


def _rsqrt(x: Any) -> Any:
    return 1 / np.sqrt(x)


def _sign(x: Any) -> Any:
    if x.dtype.kind == "c":  # np.sign of NumPy 1 looks at the real part only
        size = np.abs(x)
        return np.where(size == 0, 0, x / np.where(size == 0, 1, size))
    return np.sign(x)


def _trunc(x: Any) -> Any:
    return np.trunc(x) if x.dtype.kind not in "iu" else x


def _clip(x: Any, low: Any, high: Any) -> Any:
    low, high = limit(low, x), limit(high, x)
    if low is not None:
        x = np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _half_inputs(function: Any) -> Any:
    """For functions of which the 16-bit types have no kernel."""

    def kernel(*xs: Any) -> Any:
        return function(*(x.astype(np.float32) if x.dtype.itemsize == 2 else x for x in xs))

    return kernel


def _shift(function: Any) -> Any:
    # Shifts by the width or more are undefined in C; towards zero or the sign is what all engines shall say.
    def kernel(x: Any, y: Any) -> Any:
        return function(x, np.minimum(y, 8 * x.dtype.itemsize))

    return kernel


def _angle(x: Any) -> Any:
    return (
        np.arctan2(np.imag(x), np.real(x))
        if x.dtype.kind == "c"
        else np.where(x < 0, np.pi, np.where(np.isnan(x), x, 0))
    )


def _view_as_real(x: Any) -> Any:
    return np.stack([np.real(x), np.imag(x)], axis=-1)


def _view_as_complex(x: Any) -> Any:
    if x.shape[-1:] != (2,):
        raise ValueError("the last dimension is not 2.")
    return np.ascontiguousarray(x).view(np.result_type(x.dtype, np.complex64))[..., 0]


def _nan_to_num(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    if x.dtype.char not in "efdFD":
        return OPS["nan_to_num"].formula(x, nan, posinf, neginf)
    return np.nan_to_num(x, True, nan, posinf, neginf)


TABLE = {
    **native(
        np,
        "absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_not bitwise_or "
        "bitwise_xor cbrt ceil conjugate cos cosh divide=true_divide equal exp exp2 expm1 floor floor_divide fmax "
        "fmin fmod gcd greater greater_equal heaviside hypot imag isfinite isinf isnan less less_equal log log10 "
        "log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum mod "
        "multiply negative nextafter not_equal real reciprocal round signbit sin sinh sqrt square subtract tan tanh "
        "true_divide",
    ),
    **native(special, "erf erfc erfinv"),
    **kernels(_angle, _clip, _nan_to_num, _power, _rsqrt, _sign, _trunc, _view_as_complex, _view_as_real),
    "i0": _half_inputs(np.i0),
    "ldexp": _half_inputs(np.ldexp),
    "left_shift": _shift(np.left_shift),
    "right_shift": _shift(np.right_shift),
    "where": lambda condition, x1=None, x2=None: np.where(condition, x1, x2) if x1 is not None else np.where(condition),
}
_TAKE_SCALARS = (
    "add divide equal floor_divide fmod greater greater_equal less less_equal maximum minimum mod multiply not_equal "
    "power subtract true_divide"
)
SCALARS = frozenset(_TAKE_SCALARS.split())
