"""Evaluation and prediction with NumPy; it computes no gradients."""

from __future__ import annotations

from typing import Any

from ktrain.engines import steps
from ktrain.engines.steps import fetch, python_logs

__all__ = [
    "Steps",
    "fetch",
    "fused_update",
    "is_concrete",
    "jit_of_file",
    "python_logs",
    "require_training",
    "resolve_jit",
]


def is_concrete(x: Any) -> bool:
    """Whether a tensor has a value now."""
    return True


def fused_update(optimizer: Any, variables: list[Any]) -> Any:
    """The update of all variables at once; None: one after the other."""
    return None


def resolve_jit(model: Any, jit_compile: Any) -> bool:
    """Whether steps are compiled."""
    return False


def jit_of_file(jit_compile: Any) -> Any:
    """What a file's `jit_compile` means here: what it says."""
    return jit_compile


def require_training() -> None:
    """Raise: there is no training on this engine."""
    steps.require_training("numpy")


class Steps(steps.EagerSteps):
    """The steps of the NumPy engine."""

    def make_test_function(self: Any, force: bool = False) -> Any:
        """A function of a list of batches that evaluates them and returns the metrics."""

        def make() -> Any:
            def run(batches: list[Any]) -> Any:
                for data in batches:
                    logs = self.test_step(data)
                return logs

            return run

        return self._cached("test", make, force)

    def make_predict_function(self: Any, force: bool = False) -> Any:
        """A function of a list of batches that returns their outputs."""

        def make() -> Any:
            return lambda batches: steps.concatenate_outputs([self.predict_step(data) for data in batches])

        return self._cached("predict", make, force)
