"""`CompileLoss`: the loss given to `compile`, for one output or several."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops import tree
from ktrain.losses import identifiers
from ktrain.losses.loss import FunctionLoss, Loss
from ktrain.metrics.averages import Mean
from ktrain.outputs import Outputs


def _check_names(loss: Any) -> None:
    """Refuse unknown names at once, not at the first batch."""
    leaves = [loss] if isinstance(loss, dict) and "class_name" in loss else tree.flatten(loss)
    for leaf in leaves:
        if isinstance(leaf, str):
            identifiers.get(leaf)


class CompileLoss:
    """Adds up the losses of all outputs.

    Args:
        loss: one loss (for every output), a list, or a dictionary by output name; None leaves an output out.
        loss_weights: a number for each output, in a list or dictionary.
        output_names: of the model.
    """

    def __init__(self, loss: Any, loss_weights: Any = None, output_names: Any = None) -> None:
        _check_names(loss)
        if loss_weights is not None and not isinstance(loss_weights, (list, tuple, dict, float, int)):
            raise TypeError(f"loss_weights is a number, list or dictionary, not {loss_weights!r}.")
        self._loss = loss
        self._loss_weights = loss_weights
        self._output_names = output_names
        self._outputs: Outputs | None = None
        self._parts: list[tuple[int, Any, Any, Mean | None]] = []

    @property
    def built(self) -> bool:
        """Whether it knows the outputs."""
        return self._outputs is not None

    @property
    def metrics(self) -> list[Any]:
        """The running means of the single losses, when there are several outputs."""
        return [tracker for *_, tracker in self._parts if tracker is not None]

    def build(self, y_true: Any, y_pred: Any) -> None:
        """Decide which loss belongs to which output."""
        outputs = Outputs(y_pred, self._output_names)
        chosen = outputs.choices(self._loss, "loss", every=True)
        missing = [n for n, c in zip(outputs.names, chosen) if c is None]
        if isinstance(self._loss, dict) and "class_name" not in self._loss and missing and not outputs.nested:
            absent = [n for n in missing if n not in self._loss]
            if absent:
                raise ValueError(
                    f"loss has no entry for the output {absent[0]!r}. Give None for outputs without a loss. "
                    f"It has: {', '.join(self._loss)}."
                )
        weights = self._weights(outputs)
        parts: list[tuple[int, Any, Any, Mean | None]] = []
        for i, (name, choice, weight) in enumerate(zip(outputs.paths, chosen, weights)):
            if choice is None:
                continue
            loss = identifiers.get(choice[0] if isinstance(choice, (list, tuple)) else choice)
            if not isinstance(loss, Loss):
                loss = FunctionLoss(loss, name=getattr(loss, "__name__", type(loss).__name__))
            tracker = None if outputs.single else Mean(name=f"{name}_loss")
            parts.append((i, loss, weight, tracker))
        if not parts:
            raise ValueError("No output has a loss: every entry of loss is None.")
        self._parts = parts
        self._outputs = outputs

    def _weights(self, outputs: Outputs) -> list[Any]:
        given = self._loss_weights
        if given is None:
            return [None] * outputs.count
        if isinstance(given, (float, int)):
            return [given] * outputs.count
        if isinstance(given, (list, tuple)) and len(given) != outputs.count and not outputs.nested:
            raise ValueError(
                f"loss_weights has {len(given)} entries, but the model has {outputs.count} outputs: "
                f"{', '.join(outputs.names)}."
            )
        if isinstance(given, (list, tuple)) and not outputs.nested:
            return list(given)
        return outputs.choices(given, "loss_weights", every=True)

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The weighted sum of the losses."""
        if self._outputs is None:
            self.build(y_true, y_pred)
        outputs = self._outputs
        assert outputs is not None
        if outputs.structure == 0 and not isinstance(y_true, (list, tuple, dict)):
            _, loss, weight, _ = self._parts[0]
            value = loss(y_true, y_pred, sample_weight)
            return value if weight is None else ops.multiply(value, weight)
        labels = outputs.by_output(y_true, "y")
        weights = outputs.by_output(sample_weight, "sample_weight", broadcast=True)
        predictions = outputs.flatten(y_pred)
        total: Any = None
        for i, loss, weight, tracker in self._parts:
            if labels[i] is None:
                raise ValueError(f"The output {outputs.names[i]!r} has a loss, but y has nothing for it.")
            value = loss(labels[i], predictions[i], weights[i])
            if tracker is not None:
                tracker.update_state(value, sample_weight=_batch_size(predictions[i]))
            if weight is not None:
                value = ops.multiply(value, weight)
            total = value if total is None else ops.add(total, value)
        return total


def _batch_size(x: Any) -> Any:
    size = x.shape[0] if len(x.shape) else 1
    return ops.shape(x)[0] if size is None else size
