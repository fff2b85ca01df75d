"""Training with JAX."""

from __future__ import annotations

from typing import Any

import jax


def is_concrete(x: Any) -> bool:
    """Whether a tensor has a value now (it is no tracer)."""
    return not isinstance(x, jax.core.Tracer)


def fused_update(optimizer: Any, variables: list[Any]) -> Any:
    """The update of all variables at once; None: one after the other, which XLA fuses."""
    return None
