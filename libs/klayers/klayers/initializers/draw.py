"""Random numbers for initializers, drawn on the host so that building a model compiles nothing.

This is the one place that knows the generator. It is counter-based (Philox): the numbers are a function of
the seed alone, the same on every engine.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from kops.shapes import standardize_shape


def default_seed() -> int:
    """A seed for an initializer that got none; `set_random_seed` makes the sequence of these reproducible."""
    return random.randint(1, 2**31 - 1)


def _generator(seed: Any) -> np.random.Generator:
    if hasattr(seed, "next"):
        # A SeedGenerator: another state, so other values, at each call.
        words = np.asarray(seed.next(), dtype=np.int64).ravel()
    else:
        words = np.array([int(seed)], dtype=np.int64)
    key = np.zeros(2, dtype=np.uint64)
    key[: min(words.size, 2)] = words[:2].astype(np.uint64)
    return np.random.Generator(np.random.Philox(key=key))


def sizes(shape: Any) -> tuple[int, ...]:
    """A shape all of whose dimensions are known."""
    known = standardize_shape(shape)
    if None in known:
        raise ValueError(
            f"An initializer needs the size of every dimension; in shape {known} some are unknown (None)."
        )
    return known  # type: ignore[return-value]


def uniform(shape: Any, seed: Any) -> np.ndarray:
    """Float32 numbers in [0, 1)."""
    return _generator(seed).random(sizes(shape), dtype=np.float32)


def normal(shape: Any, seed: Any) -> np.ndarray:
    """Float32 numbers of the standard normal distribution."""
    return _generator(seed).standard_normal(sizes(shape), dtype=np.float32)


def truncated_normal(shape: Any, seed: Any) -> np.ndarray:
    """Float32 numbers of the standard normal distribution within (-2, 2); those outside are drawn again."""
    generator = _generator(seed)
    values = generator.standard_normal(sizes(shape), dtype=np.float32)
    flat = values.reshape(-1)
    outside = np.flatnonzero(np.abs(flat) >= 2)
    while outside.size:
        flat[outside] = generator.standard_normal(outside.size, dtype=np.float32)
        outside = outside[np.abs(flat[outside]) >= 2]
    return values
