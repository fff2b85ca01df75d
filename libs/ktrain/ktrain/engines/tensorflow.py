"""Training with TensorFlow: steps are traced by `tf.function`."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops import tree
from ktrain.data.packing import unpack_x_y_sample_weight
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
    """Whether a tensor has a value now (it is eager)."""
    return not tf.is_symbolic_tensor(x)


def fused_update(optimizer: Any, variables: list[Any]) -> Any:
    """The update of all variables at once; None: one after the other, which the graph runs side by side."""
    return None


def resolve_jit(model: Any, jit_compile: Any) -> bool:
    """Whether XLA compiles the step: by default where there is an accelerator and every layer can be compiled."""
    if jit_compile == "auto":
        if not tf.config.list_physical_devices("GPU") and not tf.config.list_physical_devices("TPU"):
            return False
        return all(getattr(layer, "supports_jit", True) for layer in model._flatten_layers())
    return bool(jit_compile)


def jit_of_file(jit_compile: Any) -> Any:
    """What a file's `jit_compile` means here: JAX writes True for "auto", which is no wish for XLA on this engine."""
    return "auto"


def require_training() -> None:
    """This engine trains."""


def _dense(gradient: Any) -> Any:
    return tf.convert_to_tensor(gradient) if isinstance(gradient, tf.IndexedSlices) else gradient


class Steps(steps.EagerSteps):
    """The steps of the TensorFlow engine."""

    def train_step(self: Any, data: Any) -> dict[str, Any]:
        """One training step on a batch `data`; returns the metrics by name. Override for your own."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self._forward(x, training=True)
            loss = self._loss_of(x, y, y_pred, sample_weight, training=True)
            scaled = loss if self.optimizer is None else self.optimizer.scale_loss(loss)
        self._track_loss(loss, x)
        trainable = self.trainable_variables
        if trainable:
            gradients = tape.gradient(scaled, [v._native for v in trainable])
            self.optimizer.apply([_dense(g) for g in gradients], trainable)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def _traced(self: Any, function: Any) -> Any:
        compiled = self._compiled
        if compiled is not None and compiled.run_eagerly:
            return function
        jit = bool(compiled is not None and compiled.jit_compile)
        return tf.function(function, autograph=False, reduce_retracing=True, jit_compile=jit or None)

    def _looping(self: Any, step: Any, lazy: bool) -> Any:
        def run(batches: Any) -> Any:
            logs = None
            for data in batches:
                logs = step(data)
            return None if lazy else logs

        return self._traced(run)

    def make_train_function(self: Any, force: bool = False) -> Any:
        """A function of a list of batches that trains on them; None for logs means: those of the metrics."""

        def make() -> Any:
            lazy = not self._has_own("train_step", "compute_metrics", "get_metrics_result")
            run = self._looping(self.train_step, lazy)
            return lambda batches: run(tree.map_structure(_tensor, batches))

        return self._cached("train", make, force)

    def make_test_function(self: Any, force: bool = False) -> Any:
        """A function of a list of batches that evaluates them; None for logs means: those of the metrics."""

        def make() -> Any:
            lazy = not self._has_own("test_step", "compute_metrics", "get_metrics_result")
            run = self._looping(self.test_step, lazy)
            return lambda batches: run(tree.map_structure(_tensor, batches))

        return self._cached("test", make, force)

    def make_predict_function(self: Any, force: bool = False) -> Any:
        """A function of a list of batches that returns their outputs."""

        def make() -> Any:
            run = self._traced(lambda batches: steps.concatenate_outputs([self.predict_step(data) for data in batches]))
            return lambda batches: run(tree.map_structure(_tensor, batches))

        return self._cached("predict", make, force)


def _tensor(x: Any) -> Any:
    return None if x is None else tf.convert_to_tensor(x)
