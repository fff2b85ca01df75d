"""`jax.jit` and `jax.grad`."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np


def compiled(function: Any, arrays: list[Any], dynamic: bool) -> Any:
    return jax.jit(function)(*arrays)


def gradients(function: Any, arrays: list[Any], wanted: list[int]) -> list[np.ndarray]:
    return [np.asarray(g) for g in jax.grad(function, argnums=tuple(wanted))(*arrays)]


def wide() -> Any:
    return jax.enable_x64(True)
