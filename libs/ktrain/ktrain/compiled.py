"""`Compiled`: what `compile` was given and made, in one object, so that the model's attributes stay its layers."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from klayers.layer_state import LOSSES
from kops import tree
from ktrain.compile_loss import CompileLoss
from ktrain.compile_metrics import CompileMetrics
from ktrain.metrics.averages import Mean
from ktrain.metrics.metric import Metric


class Compiled:
    """Losses, metrics and settings of a compiled model, and the step functions made for it.

    Args: see `Trainer.compile`.
    """

    def __init__(
        self, loss: Any, loss_weights: Any, metrics: Any, weighted_metrics: Any, run_eagerly: bool,
        steps_per_execution: int, jit_compile: Any, output_names: Any,
    ) -> None:  # fmt: skip
        self.loss = CompileLoss(loss, loss_weights, output_names) if loss is not None else None
        chosen = metrics is not None or weighted_metrics is not None
        self.metrics = CompileMetrics(metrics, weighted_metrics, output_names) if chosen else None
        self.loss_tracker = Mean(name="loss")
        self.run_eagerly = run_eagerly
        self.steps_per_execution = steps_per_execution
        self.jit_compile = jit_compile
        self.config = {
            "loss": loss,
            "loss_weights": loss_weights,
            "metrics": metrics,
            "weighted_metrics": weighted_metrics,
        }
        self.functions: dict[str, Any] = {}  # "train", "test", "predict" -> step function

    def own_metrics(self) -> list[Any]:
        """The loss, the metrics of compile, and the losses of single outputs."""
        listed: list[Any] = [self.loss_tracker]
        if self.metrics is not None:
            listed.append(self.metrics)
        if self.loss is not None:
            listed.extend(self.loss.metrics)
        return listed

    def build(self, y_true: Any, y_pred: Any, sample_weight: Any) -> None:
        """Make losses and metrics for labels and outputs like these, so that no step makes variables."""
        if self.loss is not None and not self.loss.built:
            self.loss.build(y_true, y_pred)
        if self.metrics is not None and not self.metrics.built:
            self.metrics.build(y_true, y_pred)
            for i, _, metric, _ in self.metrics._entries:
                _build_metric(metric, self.metrics._outputs, i, y_true, y_pred)


def _build_metric(metric: Metric, outputs: Any, i: int, y_true: Any, y_pred: Any) -> None:
    """Metrics whose state depends on shapes make it in their first update: give them zeros, then forget those."""
    import kops as ops

    if getattr(metric, "_built", True):
        return
    labels, predictions = outputs.by_output(y_true, "y")[i], outputs.flatten(y_pred)[i]
    size = len(labels)
    shape = tuple(size if d is None else d for d in predictions.shape)
    metric.update_state(ops.zeros_like(ops.convert_to_tensor(labels)), ops.zeros(shape, dtype=predictions.dtype))
    metric.reset_state()


class LossSources:
    """Where a model's added losses and weight penalties come from, found once: walking a model at each step is slow."""

    def __init__(self, model: Any) -> None:
        self.layers = model._flatten_layers()
        self.penalized = [v for v in model.trainable_weights if v.regularizer is not None]

    def losses(self, model: Any) -> list[Any]:
        """The losses of the last call."""
        added = [
            loss
            for layer in self.layers
            if layer._needs & LOSSES and (layer._losses[0] == model._last_call or layer is model)
            for loss in layer._losses[1]
        ]
        return added + [v.regularizer(v) for v in self.penalized]


@functools.lru_cache(maxsize=256)
def takes(function: Any, argument: str) -> bool:
    """Whether a function (not a bound method) can be called with a keyword argument."""
    parameters = inspect.signature(function).parameters.values()
    return any(p.name == argument or p.kind is p.VAR_KEYWORD for p in parameters)


def batch_size_of(x: Any) -> Any:
    """The number of samples in a batch."""
    import kops as ops

    for leaf in [x] if hasattr(x, "shape") else tree.flatten(x):
        if leaf is not None and len(leaf.shape):
            size = leaf.shape[0]
            return ops.shape(leaf)[0] if size is None else size
    return 1
