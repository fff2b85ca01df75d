"""Reduction kernels."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from kops.backends.kernel_tables import native
from kops.backends.limit import limit


def _axis(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def _reducing(function: Any) -> Any:
    return lambda x, axis=None, keepdims=False: function(x, axis=_axis(axis), keepdims=keepdims)


def _extreme(function: Any) -> Any:
    def kernel(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        return function(x, axis=_axis(axis), keepdims=keepdims, initial=limit(initial, x))

    return kernel


def _in_dtype(function: Any) -> Any:
    """Sums and products of integers: NumPy's rules would widen them."""

    def kernel(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
        return function(x, axis=_axis(axis), keepdims=keepdims, dtype=x.dtype)

    return kernel


def _running(function: Any) -> Any:
    return lambda x, axis=None, dtype=None: function(x, axis=axis, dtype=dtype)


def _bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    if sparse:
        raise NotImplementedError("sparse counts exist with the TensorFlow backend only. Use sparse=False.")
    length = minlength
    if not isinstance(x, jax.core.Tracer):
        length = max(minlength, int(x.max()) + 1 if x.size else 0)
    elif not minlength:
        raise ValueError("under jax.jit the size of the output must be given as minlength.")
    share = jnp.ones((), "int32") if weights is None else weights
    outer = x.shape[:-1]
    x = jnp.atleast_2d(x)
    share = jnp.broadcast_to(share, x.shape)
    place = jnp.where(x < 0, length, x)  # out of bounds, so left out
    rows = jnp.arange(x.shape[0])[:, None]
    counts = jnp.zeros((x.shape[0], length), share.dtype).at[rows, place].add(share, mode="drop")
    return counts.reshape(*outer, length)


TABLE = {
    **native(jnp, "all any argmax argmin mean var", _reducing),
    "bincount": _bincount,
    "cumprod": _running(jnp.cumprod),
    "cumsum": _running(jnp.cumsum),
    "max": _extreme(jnp.max),
    "min": _extreme(jnp.min),
    "prod": _in_dtype(jnp.prod),
    "sum": _in_dtype(jnp.sum),
}
