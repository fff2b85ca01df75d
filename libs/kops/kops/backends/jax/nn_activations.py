"""Activation kernels.

Those of `jax.nn` are Python formulas, many with a custom derivative; jitted once each, an eager call costs a twentieth.
"""

from __future__ import annotations

from functools import partial, wraps
from typing import Any

import jax
import jax.numpy as jnp
from jax import nn

from kops.backends.kernel_tables import native

_static = partial(jax.jit, static_argnums=1)


def _wide(function: Any) -> Any:
    """Half precision is computed in float32, as on the other engines."""

    @wraps(function)
    def kernel(x: Any, *static: Any) -> Any:
        return function(x.astype("float32"), *static).astype(x.dtype) if x.dtype.itemsize < 4 else function(x, *static)

    return kernel


def _softmax(function: Any) -> Any:
    jitted = _static(_wide(function))
    # A list of axes is no key for jit.
    return lambda x, axis: jitted(x, tuple(axis) if isinstance(axis, list) else axis)


def _elu(x: Any, alpha: Any) -> Any:
    return nn.elu(x, alpha)


def _leaky_relu(x: Any, negative_slope: Any) -> Any:
    return jnp.where(x > 0, x, negative_slope * x)  # at 0 the slope of the left side, as elsewhere


TABLE = {
    **native(nn, "relu relu6 selu silu sigmoid softplus", jax.jit),
    "leaky_relu": _static(_leaky_relu),
    "elu": _static(_elu),
    "gelu": _static(_wide(nn.gelu)),
    "softmax": _softmax(nn.softmax),
    "log_softmax": _softmax(nn.log_softmax),
}
