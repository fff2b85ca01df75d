"""The optimizers of Keras 2, which exist no more."""

from __future__ import annotations

from typing import Any

from kspec import public


@public(
    "keras.optimizers.legacy.SGD",
    "keras.optimizers.legacy.Adagrad",
    "keras.optimizers.legacy.Adam",
    "keras.optimizers.legacy.Ftrl",
    "keras.optimizers.legacy.Optimizer",
    "keras.optimizers.legacy.RMSprop",
)
class LegacyOptimizer:
    """Raises an error that says what to use instead."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise ImportError("keras.optimizers.legacy does not exist in Keras 3. Use keras.optimizers.")
