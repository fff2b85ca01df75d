"""Random bits: the algorithm of `kops.random_hash` on uint32."""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kops.random_hash import MIX_MULTIPLIERS, MULTIPLIERS, SEED_CROSS, SEED_OFFSETS


def seed_native(seed: int) -> None:
    """JAX has no generators with state."""


def _mix(w: Any) -> Any:
    m0, m1 = (np.uint32(m) for m in MIX_MULTIPLIERS)
    w = (w ^ w >> 16) * m0
    w = (w ^ w >> 15) * m1
    return w ^ w >> 16


@functools.partial(jax.jit, static_argnums=1)
def _bits(seed: Any, shape: Any) -> Any:
    m0, m1, m2 = (np.uint32(m) for m in MULTIPLIERS)
    v = _mix(seed.astype(jnp.uint32) + np.array(SEED_OFFSETS, np.uint32))
    k0, k1 = _mix(v + v[::-1] * np.uint32(SEED_CROSS))
    x = jax.lax.iota(jnp.uint32, math.prod(shape)).reshape(shape) + k0
    x = (x ^ x >> 17) * m0 ^ k1
    x = (x ^ x >> 11) * m1
    x = (x ^ x >> 15) * m2
    return x ^ x >> 14


def _random_bits(seed: Any, shape: Any) -> Any:
    return jax.lax.bitcast_convert_type(_bits(seed, tuple(shape)), jnp.int32)


def _product(a: Any, b: Any) -> tuple[Any, Any]:
    """High and low word of the product of two words, by halves."""
    a1, a0, b1, b0 = a >> 16, a & 0xFFFF, b >> 16, b & 0xFFFF
    middle = a1 * b0 + (a0 * b0 >> 16)
    other = a0 * b1 + (middle & 0xFFFF)
    return a1 * b1 + (middle >> 16) + (other >> 16), a * b


@functools.partial(jax.jit, static_argnums=(2, 3))
def _below(seed: Any, span: Any, shape: Any, dtype: Any) -> Any:
    # floor(second * span + floor(first * span / 2**31)) / 2**31), without 64-bit integers.
    first, second = _bits(seed, (2, *shape))
    carry, _ = _product(first & np.uint32(0xFFFFFFFE), span)
    high, low = _product(second & np.uint32(0xFFFFFFFE), span)
    return (high + (carry >> 31) + ((low >> 1) + (carry & np.uint32(0x7FFFFFFF)) >> 31)).astype(dtype)


def _random_below(seed: Any, span: Any, shape: Any, dtype: Any) -> Any:
    return _below(seed, span, tuple(shape), dtype)


def _advance(seed: Any) -> Any:
    return [seed, seed + np.array([0, 1], seed.dtype)]


TABLE = {"random_bits": _random_bits, "random_below": _random_below, "advance_seed": _advance}
