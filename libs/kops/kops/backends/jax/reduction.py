"""Reduction kernels."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def _axis(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def _reducing(function: Any) -> Any:
    return lambda x, axis=None, keepdims=False: function(x, axis=_axis(axis), keepdims=keepdims)


def _extreme(function: Any) -> Any:
    def kernel(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        return function(x, axis=_axis(axis), keepdims=keepdims, initial=initial)

    return kernel


def _in_dtype(function: Any) -> Any:
    """Sums and products of integers: NumPy's rules would widen them."""

    def kernel(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
        return function(x, axis=_axis(axis), keepdims=keepdims, dtype=x.dtype)

    return kernel


def _running(function: Any) -> Any:
    return lambda x, axis=None, dtype=None: function(x, axis=axis, dtype=dtype)


TABLE = {
    "all": _reducing(jnp.all),
    "amax": _reducing(jnp.max),
    "amin": _reducing(jnp.min),
    "any": _reducing(jnp.any),
    "argmax": _reducing(jnp.argmax),
    "argmin": _reducing(jnp.argmin),
    "cumprod": _running(jnp.cumprod),
    "cumsum": _running(jnp.cumsum),
    "logsumexp": _reducing(jax.scipy.special.logsumexp),
    "max": _extreme(jnp.max),
    "mean": _reducing(jnp.mean),
    "min": _extreme(jnp.min),
    "prod": _in_dtype(jnp.prod),
    "std": _reducing(jnp.std),
    "sum": _in_dtype(jnp.sum),
    "var": _reducing(jnp.var),
}
