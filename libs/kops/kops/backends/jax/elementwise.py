"""Elementwise kernels."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from kops.backends.division import zero_by_zero
from kops.backends.kernel_tables import kernels, native
from kops.backends.limit import limit


def _power(x: Any, y: Any) -> Any:
    # A whole exponent becomes multiplications, with exact gradients at 0.
    if type(y) is float and y.is_integer() and abs(y) < 64:
        return jnp.power(x, int(y))
    if jnp.issubdtype(jnp.result_type(x), jnp.integer) and jnp.issubdtype(jnp.result_type(y), jnp.signedinteger):
        x, y = jnp.asarray(x), jnp.asarray(y)
        below = jnp.where(jnp.abs(x) == 1, jnp.where((x == -1) & (y % 2 == 1), -1, 1), 0).astype(x.dtype)
        return jnp.where(y < 0, below, jnp.power(x, jnp.maximum(y, 0)))
    if traced(x) and not isinstance(y, (int, float)):
        # x**0 is flat, at 0, too, where the slope would be 0 times infinity.
        x = jnp.where((x == 0) & (y == 0), 1, x)
    return jnp.power(x, y)


def traced(x: Any) -> bool:
    """Whether it may be differentiated."""
    return isinstance(x, jax.core.Tracer)


@jax.custom_jvp
def _flat_absolute(x: Any) -> Any:
    return jnp.absolute(x)


@_flat_absolute.defjvp
def _slope(primals: Any, tangents: Any) -> Any:
    # JAX's own is 1 at 0.
    return jnp.absolute(primals[0]), jnp.sign(primals[0]) * tangents[0]


def _absolute(x: Any) -> Any:
    differs = traced(x) and jnp.issubdtype(x.dtype, jnp.floating)
    return _flat_absolute(x) if differs else jnp.absolute(x)


def _clip(x: Any, low: Any, high: Any) -> Any:
    low, high = limit(low, x), limit(high, x)
    if not traced(x):
        return jnp.clip(x, low, high)
    # As a choice it has slope 1 at its bounds; JAX's own halves it there.
    if low is not None:
        x = jnp.where((x < low) | (low != low), low, x)
    return x if high is None else jnp.where((x > high) | (high != high), high, x)


def _round(x: Any, decimals: int = 0) -> Any:
    if decimals >= 0 or not jnp.issubdtype(x.dtype, jnp.integer):
        return jnp.round(x, decimals)
    # To tens and more; halves go to the even neighbour.
    scale = 10**-decimals
    down = x // scale
    twice = 2 * (x - down * scale)
    up = (twice > scale) | ((twice == scale) & (down % 2 == 1))
    return (down + up.astype(x.dtype)) * scale


def _divided(function: Any) -> Any:
    return zero_by_zero(function, jnp.where, lambda x: jnp.issubdtype(x.dtype, jnp.integer))


def _shift(function: Any) -> Any:
    return lambda x, y: function(x, jnp.minimum(y, 8 * x.dtype.itemsize))


def _view_as_real(x: Any) -> Any:
    return jnp.stack([jnp.real(x), jnp.imag(x)], axis=-1)


def _view_as_complex(x: Any) -> Any:
    if x.shape[-1:] != (2,):
        raise ValueError("the last dimension is not 2.")
    return jax.lax.complex(x[..., 0], x[..., 1])


def _where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    return jnp.where(condition) if x1 is None else jnp.where(condition, x1, x2)


TABLE = {
    **native(jax.scipy.special, "erf erfc erfinv"),
    **native(
        jnp,
        "add angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_not bitwise_or "
        "bitwise_xor cbrt ceil conjugate cos cosh equal exp exp2 expm1 floor fmax fmin gcd greater greater_equal "
        "heaviside i0 imag isfinite isinf isnan ldexp less less_equal log log10 log1p log2 logical_and logical_not "
        "logical_or logical_xor maximum minimum multiply negative nextafter not_equal real reciprocal sign signbit "
        "sin sinh sqrt square subtract tan tanh trunc divide=true_divide true_divide",
    ),
    **native(jnp, "floor_divide fmod mod", _divided),
    **kernels(_absolute, _clip, _power, _round, _view_as_complex, _view_as_real, _where),
    "left_shift": _shift(jnp.left_shift),
    "right_shift": _shift(jnp.right_shift),
    "rsqrt": jax.lax.rsqrt,
}
_TAKE_SCALARS = (
    "add divide equal floor_divide fmod greater greater_equal less less_equal maximum minimum mod multiply not_equal "
    "power subtract true_divide where"
)
SCALARS = frozenset(_TAKE_SCALARS.split())
