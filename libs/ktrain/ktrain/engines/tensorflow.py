"""Training with TensorFlow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def is_concrete(x: Any) -> bool:
    """Whether a tensor has a value now (it is eager)."""
    return not tf.is_symbolic_tensor(x)


def fused_update(optimizer: Any, variables: list[Any]) -> Any:
    """The update of all variables at once; None: one after the other, which the graph runs side by side."""
    return None
