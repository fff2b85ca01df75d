"""Elementwise kernels."""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf

from kops.backends.division import zero_by_zero
from kops.backends.kernel_tables import kernels, native
from kops.backends.limit import limit
from kops.backends.tensorflow.eager import holds, recording


def _power(x: Any, y: Any) -> Any:
    if type(y) is float and y == 2.0:
        return tf.square(x)
    if not x.dtype.is_integer:
        if isinstance(y, (int, float)) and y or not recording():
            return tf.pow(x, y)
        # x**0 is flat, at 0, too, where the slope would be 0 times infinity.
        return tf.pow(tf.where((x == 0) & (y == 0), tf.ones((), x.dtype), x), y)
    y = tf.cast(y, x.dtype)
    dtype = x.dtype
    if dtype not in (tf.int32, tf.int64):  # the only integers that tf.pow takes
        x, y = tf.cast(x, tf.int64), tf.cast(y, tf.int64)
    one, zero = tf.ones_like(x), tf.zeros_like(x)
    flip = tf.where((x == -1) & (y % 2 == 1), -one, one)
    below = tf.where(tf.abs(x) == 1, flip, zero)
    return tf.cast(tf.where(y < 0, below, tf.pow(x, tf.maximum(y, tf.zeros_like(y)))), dtype)


def _clip(x: Any, low: Any, high: Any) -> Any:
    low, high = limit(low, x), limit(high, x)
    if low is not None:
        x = tf.maximum(x, low if isinstance(low, (int, float)) else tf.cast(low, x.dtype))
    return x if high is None else tf.minimum(x, high if isinstance(high, (int, float)) else tf.cast(high, x.dtype))


def _floats_only(function: Any, otherwise: Any) -> Any:
    """For functions of which integers (and bools) have no kernel."""

    def kernel(x: Any) -> Any:
        return function(x) if x.dtype.is_floating or x.dtype.is_complex else otherwise(x)

    return kernel


def _parts(function: Any, join: Any) -> Any:
    """Of complex numbers, the predicate of both parts."""

    def kernel(x: Any) -> Any:
        return join(function(tf.math.real(x)), function(tf.math.imag(x))) if x.dtype.is_complex else function(x)

    return kernel


def _no(x: Any) -> Any:
    return tf.zeros_like(x, dtype=tf.bool)


def _yes(x: Any) -> Any:
    return tf.ones_like(x, dtype=tf.bool)


def _same(x: Any) -> Any:
    return x


def _trunc(x: Any) -> Any:
    return tf.where(x < 0, tf.math.ceil(x), tf.math.floor(x))


def _round(x: Any, decimals: int = 0) -> Any:
    if decimals == 0:
        return tf.round(x)
    if x.dtype.is_integer:
        if decimals > 0:
            return x
        scale = 10**-decimals
        return tf.cast(tf.round(tf.cast(x, tf.float64) / scale) * scale, x.dtype)
    wide = tf.cast(x, tf.float32) if x.dtype.size == 2 else x
    scale = 10.0 ** abs(decimals)
    return tf.cast(tf.round(wide * scale) / scale if decimals > 0 else tf.round(wide / scale) * scale, x.dtype)


_BITS = {2: tf.int16, 4: tf.int32, 8: tf.int64}


def _signbit(x: Any) -> Any:
    return tf.bitcast(x, _BITS[x.dtype.size]) < 0 if x.dtype.is_floating else tf.cast(x, tf.int64) < 0


def _nextafter(x: Any, y: Any) -> Any:
    if x.dtype.size > 2:
        return tf.math.nextafter(x, y)
    # By its bits: counted as signed integers, neighbours differ by one on each side of zero.
    shape = tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y))
    x, y = tf.broadcast_to(x, shape), tf.broadcast_to(y, shape)
    bits = tf.cast(tf.bitcast(x, tf.int16), tf.int32)
    away = (y > x) == (x > 0)
    step = tf.where(x == 0, tf.where(y > 0, 1, -32767), tf.where(away, bits + 1, bits - 1))
    step = tf.bitcast(tf.cast(step, tf.int16), x.dtype)
    return tf.where(tf.math.is_nan(x) | tf.math.is_nan(y), x + y, tf.where(x == y, y, step))


def _ldexp(x: Any, y: Any) -> Any:
    # Two factors: 2**y alone may overflow where the product does not.
    half = y // 2
    two = tf.constant(2, x.dtype)
    return x * tf.pow(two, tf.cast(half, x.dtype)) * tf.pow(two, tf.cast(y - half, x.dtype))


def _floor_divide(x: Any, y: Any) -> Any:
    if not x.dtype.is_floating:
        return tf.math.floordiv(x, y)
    # From the remainder, which is exact; the rounded quotient may reach the next integer.
    y = tf.convert_to_tensor(y, x.dtype)
    quotient = tf.round((x - tf.math.floormod(x, y)) / y)
    one = tf.ones((), x.dtype)
    below = tf.where((x != 0) & ((x < 0) != (y < 0)), -one, 0 * one) + x * 0
    quotient = tf.where(tf.math.is_inf(y), below, quotient)
    return tf.where(y == 0, x / y, quotient)


def _fmod(x: Any, y: Any) -> Any:
    if x.dtype.is_integer:
        return tf.math.floormod(x, y) if x.dtype.is_unsigned else tf.truncatemod(x, y)
    # TensorFlow's own has no gradient. The remainder of positive numbers is the same either way.
    return tf.sign(x) * tf.math.floormod(tf.abs(x), tf.abs(y))


def _divided(function: Any) -> Any:
    def where(condition: Any, number: int, x: Any) -> Any:
        return tf.where(condition, tf.cast(number, x.dtype), x)

    careful = zero_by_zero(function, where, lambda x: x.dtype.is_integer)
    return _scalars(lambda x, y: function(x, y) if holds(y, lambda v: v != 0) else careful(x, y))


def _shift(function: Any, signed_fill: bool) -> Any:
    def kernel(x: Any, y: Any) -> Any:
        width = 8 * x.dtype.size
        if holds(y, lambda v: v < width):
            return function(x, y)
        beyond = y >= tf.cast(width, y.dtype)
        shifted = function(x, tf.where(beyond, tf.cast(width - 1, y.dtype), y))
        if not signed_fill:
            return tf.where(beyond, tf.zeros_like(shifted), shifted)
        return tf.where(beyond, function(shifted, tf.ones_like(y)), shifted)

    return kernel


def _unsigned(function: Any) -> Any:
    """For functions whose kernels know signed integers only; the bits are the same."""

    def kernel(x: Any) -> Any:
        if not x.dtype.is_unsigned:
            return function(x)
        return tf.cast(function(tf.cast(x, tf.int64)), x.dtype)

    return kernel


def _angle(x: Any) -> Any:
    if x.dtype.is_complex:
        return tf.math.angle(x)
    return tf.where(x < 0, tf.cast(math.pi, x.dtype), tf.where(tf.math.is_nan(x), x, tf.zeros_like(x)))


def _erf(x: Any) -> Any:
    # In float64 TensorFlow's is NaN at infinity; from 6 on it is 1.
    return tf.math.erf(tf.clip_by_value(x, -6.0, 6.0) if x.dtype == tf.float64 else x)


def _view_as_real(x: Any) -> Any:
    return tf.stack([tf.math.real(x), tf.math.imag(x)], axis=-1)


def _view_as_complex(x: Any) -> Any:
    if x.shape[-1] not in (2, None):
        raise ValueError("the last dimension is not 2.")
    return tf.complex(x[..., 0], x[..., 1])


def _where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    if x1 is None:
        return tuple(tf.unstack(tf.where(condition), num=len(condition.shape), axis=1))
    # TensorFlow makes float32 of a number in front of a tensor.
    x1 = tf.constant(x1, x2.dtype) if isinstance(x1, (int, float, complex)) and hasattr(x2, "dtype") else x1
    return tf.where(condition, x1, x2)


def _bool_or(function: Any, of_bools: Any) -> Any:
    """Bitwise kernels take no bools."""
    return lambda x, y: of_bools(x, y) if x.dtype is tf.bool else function(x, y)


_PYTHON = frozenset({bool, int, float, complex})


def _scalars(function: Any, of_bools: Any = None) -> Any:
    """TensorFlow gives a scalar on the left float32 or int32, whatever stands on the right; and bools have no sums."""

    def kernel(x: Any, y: Any) -> Any:
        if type(x) in _PYTHON:
            x = tf.constant(x, y.dtype)
        if of_bools is not None and x.dtype is tf.bool:
            return of_bools(x, y)
        return function(x, y)

    return kernel


_HALVES = frozenset({tf.float16, tf.bfloat16})


def _wide(function: Any) -> Any:
    """For functions without kernels of 16-bit floats."""

    def kernel(*xs: Any) -> Any:
        return function(*(tf.cast(x, tf.float32) if x.dtype in _HALVES else x for x in xs))

    return kernel


def _through_int64(function: Any, dtypes: Any) -> Any:
    """For integer dtypes that have no kernel."""

    def kernel(x: Any, y: Any) -> Any:
        dtype = getattr(x, "dtype", None) or y.dtype
        if dtype not in dtypes:
            return function(x, y)
        return tf.cast(function(tf.cast(x, tf.int64), tf.cast(y, tf.int64)), dtype)

    return kernel


_NO_FMOD = frozenset({tf.int8, tf.int16, tf.uint8, tf.uint16, tf.uint32})
_log_of = tf.math.log

TABLE = {
    **native(tf, "equal greater greater_equal less less_equal maximum minimum not_equal subtract", _scalars),
    **native(
        tf.math,
        "arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctan2=atan2 arctanh=atanh ceil cos cosh "
        "divide divide_no_nan erfc exp expm1 floor log log1p logical_and logical_not logical_or logical_xor "
        "reciprocal rsqrt sin sinh sqrt square tan tanh true_divide=divide",
    ),
    **kernels(_angle, _clip, _erf, _ldexp, _nextafter, _round, _signbit, _view_as_complex, _view_as_real, _where),
    "absolute": _floats_only(tf.abs, lambda x: x if x.dtype.is_unsigned or x.dtype is tf.bool else tf.abs(x)),
    "add": _scalars(tf.add, tf.logical_or),
    "bitwise_and": _bool_or(tf.bitwise.bitwise_and, tf.logical_and),
    "bitwise_not": lambda x: tf.logical_not(x) if x.dtype is tf.bool else tf.bitwise.invert(x),
    "bitwise_or": _bool_or(tf.bitwise.bitwise_or, tf.logical_or),
    "bitwise_xor": _bool_or(tf.bitwise.bitwise_xor, tf.math.logical_xor),
    "conjugate": lambda x: tf.math.conj(x) if x.dtype.is_complex else x,
    "erfinv": _wide(tf.math.erfinv),
    "exp2": lambda x: tf.pow(tf.constant(2, x.dtype), x),
    "floor_divide": _divided(_floor_divide),
    "fmod": _divided(_through_int64(_fmod, _NO_FMOD)),
    "i0": _wide(tf.math.bessel_i0),
    "imag": _floats_only(tf.math.imag, tf.zeros_like),
    "isfinite": _floats_only(_parts(tf.math.is_finite, tf.logical_and), _yes),
    "isinf": _floats_only(_parts(tf.math.is_inf, tf.logical_or), _no),
    "isnan": _floats_only(_parts(tf.math.is_nan, tf.logical_or), _no),
    "left_shift": _shift(tf.bitwise.left_shift, False),
    "log10": lambda x: _log_of(x) / _log_of(tf.constant(10, x.dtype)),
    "log2": lambda x: _log_of(x) / _log_of(tf.constant(2, x.dtype)),
    "mod": _divided(tf.math.floormod),
    "multiply": _scalars(tf.multiply, tf.logical_and),
    "negative": _unsigned(tf.negative),
    "power": _scalars(_power),
    "real": _floats_only(tf.math.real, _same),
    "right_shift": _shift(tf.bitwise.right_shift, True),
    "sign": lambda x: tf.cast(x != 0, x.dtype) if x.dtype.is_unsigned else tf.sign(x),
    "trunc": _floats_only(_trunc, _same),
}
_TAKE_SCALARS = (
    "add equal floor_divide greater greater_equal less less_equal maximum minimum mod multiply not_equal power "
    "subtract where"
)
SCALARS = frozenset(_TAKE_SCALARS.split())
