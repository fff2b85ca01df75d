"""Pooling kernels."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from kops import windows


def _reduce(x: Any, start: Any, combine: Any, window: Any, g: windows.Geometry) -> Any:
    pads = windows.paddings(windows.spatial(x.shape, g), window, g)
    whole = partial(windows.assemble, g=g)
    return lax.reduce_window(
        x,
        np.asarray(start, x.dtype),
        combine,
        whole(1, window, 1),
        whole(1, g.strides, 1),
        [tuple(p) for p in whole((0, 0), pads, (0, 0))],
    )


@partial(jax.jit, static_argnums=(1, 2))
def _max(x: Any, window: Any, g: windows.Geometry) -> Any:
    low = -np.inf if jnp.issubdtype(x.dtype, jnp.inexact) else False if x.dtype == bool else jnp.iinfo(x.dtype).min
    return _reduce(x, low, lax.max, window, g)


@partial(jax.jit, static_argnums=(1, 2))
def _average(x: Any, window: Any, g: windows.Geometry) -> Any:
    wide = x.astype("float32") if x.dtype.itemsize < 4 else x
    total = _reduce(wide, 0, lax.add, window, g)
    if g.padding == "valid":
        return total / np.prod(window)
    ones = jnp.ones(windows.assemble(1, windows.spatial(x.shape, g), 1, g), wide.dtype)
    return total / _reduce(ones, 0, lax.add, window, g)


def max_pool(x: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    g, window = windows.pooling(x.ndim, pool_size, strides, padding, data_format)
    return _max(x, window, g)


def average_pool(x: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    g, window = windows.pooling(x.ndim, pool_size, strides, padding, data_format)
    return _average(x, window, g)


TABLE = {"max_pool": max_pool, "average_pool": average_pool}
