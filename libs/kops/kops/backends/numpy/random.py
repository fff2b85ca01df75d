"""Random bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.random_hash import host_bits


def seed_native(seed: int) -> None:
    """Seed the engine's own generators: NumPy's are seeded for every engine."""


def _below(seed: Any, span: Any, shape: Any, dtype: Any) -> Any:
    first, second = host_bits(seed, (2, *shape)).view(np.uint32).astype(np.uint64) >> np.uint64(1)
    span = span.astype(np.uint64)
    low = first * span >> np.uint64(31)
    return ((second * span + low) >> np.uint64(31)).astype(dtype)


def _advance(seed: Any) -> Any:
    return [seed, seed + np.array([0, 1], seed.dtype)]


TABLE = {"random_bits": host_bits, "random_below": _below, "advance_seed": _advance}
