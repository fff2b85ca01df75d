"""Random numbers for initializers, drawn on the host so that building a model compiles nothing.

The bits are those of `kops.random` for the same seed, so an initializer gives the numbers that the random function of
its distribution gives, on every engine.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kops.engine import engine
from kops.random_hash import WORD, host_bits
from kops.seeding import SeedGenerator, default_seed
from kops.shapes import standardize_shape

__all__ = ["default_seed", "normal", "sizes", "truncated_normal", "uniform"]

# Coefficients, highest power first, of M. Giles, "Approximating the erfinv function" (2010), single precision:
# for w = -log(1 - x**2) below 5 in powers of w - 2.5, else in powers of sqrt(w) - 3.
_NEAR = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
    0.246640727, 1.50140941,
)  # fmt: skip
_FAR = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
    1.00167406, 2.83297682,
)  # fmt: skip
_CHUNK = 1 << 15  # elements that stay in the cache together with their temporaries


def sizes(shape: Any) -> tuple[int, ...]:
    """A shape all of whose dimensions are known."""
    known = standardize_shape(shape)
    if None in known:
        raise ValueError(f"An initializer needs the size of every dimension; in shape {known} some are unknown (None).")
    return known  # type: ignore[return-value]


def _bits(shape: Any, seed: Any) -> np.ndarray:
    if isinstance(seed, SeedGenerator) or hasattr(seed, "next"):
        state = seed.next()  # other numbers at each call
        words = engine().to_numpy(state) if engine().is_tensor(state) else np.asarray(state)
    else:
        words = np.array([int(seed) & WORD, int(seed) >> 32 & WORD])
    return host_bits(words, sizes(shape))


def uniform(shape: Any, seed: Any) -> np.ndarray:
    """Float32 numbers in [0, 1)."""
    whole = (_bits(shape, seed) >> 8).astype(np.float32)
    whole *= np.float32(2.0**-24)
    whole += np.float32(0.5)
    return whole


def normal(shape: Any, seed: Any) -> np.ndarray:
    """Float32 numbers of the standard normal distribution."""
    return _by_inverse(_bits(shape, seed), 1.0)


def truncated_normal(shape: Any, seed: Any) -> np.ndarray:
    """Float32 numbers of the standard normal distribution within [-2, 2]."""
    values = _by_inverse(_bits(shape, seed), math.erf(math.sqrt(2)))
    return np.clip(values, -2, 2, out=values)


def _by_inverse(bits: np.ndarray, share: float) -> np.ndarray:
    """The quantiles of the normal distribution, of whose middle `share` the bits choose one."""
    result = np.empty(bits.size, np.float32)
    flat = bits.reshape(-1)
    for start in range(0, flat.size, _CHUNK):
        x = (flat[start : start + _CHUNK] >> 9).astype(np.float32)
        x += np.float32(0.5)
        x *= np.float32(2.0**-22 * share)  # within (-share, share)
        result[start : start + _CHUNK] = _erfinv(x) * np.float32(math.sqrt(2))
    return result.reshape(bits.shape)


def _erfinv(x: np.ndarray) -> np.ndarray:
    w = -np.log((1 - x) * (1 + x))
    p = _polynomial(_NEAR, w - np.float32(2.5))
    far = w >= 5
    if far.any():
        p[far] = _polynomial(_FAR, np.sqrt(w[far]) - 3)
    return p * x


def _polynomial(coefficients: tuple[float, ...], x: np.ndarray) -> np.ndarray:
    result = np.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        result *= x
        result += np.float32(c)
    return result
