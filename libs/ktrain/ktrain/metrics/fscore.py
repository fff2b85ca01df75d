"""The weighted harmonic mean of precision and recall."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops.config import settings
from kspec import public
from ktrain.losses.alignment import weights_like
from ktrain.metrics.metric import Metric


@public("keras.metrics.FBetaScore")
class FBetaScore(Metric):
    """`(1 + beta^2) precision recall / (beta^2 precision + recall)`.

    Args:
        average: how classes combine: None (one value for each), "micro" (count all classes together), "macro"
            (the mean) or "weighted" (the mean by number of labels).
        beta: how much recall counts, relative to precision.
        threshold: above which a score means 1; None: the highest score of each sample.
        name, dtype: see `keras.Metric`.
    """

    def __init__(
        self, average: str | None = None, beta: float = 1.0, threshold: float | None = None,
        name: str = "fbeta_score", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        if average not in (None, "micro", "macro", "weighted"):
            raise ValueError(f"average must be None, 'micro', 'macro' or 'weighted', not {average!r}.")
        if not isinstance(beta, float) or beta <= 0:
            raise ValueError(f"beta must be a positive float, not {beta!r}.")
        if threshold is not None and not (isinstance(threshold, float) and 0 < threshold <= 1):
            raise ValueError(f"threshold must be a float between 0 and 1, not {threshold!r}.")
        self.average = average
        self.beta = beta
        self.threshold = threshold
        self.axis = None if average == "micro" else 0
        self._direction = "up"
        self._built = False

    def _build(self, shape: Any) -> None:
        if len(shape) != 2 or shape[-1] is None:
            raise ValueError(
                f"{type(self).__name__} takes labels and predictions of shape (batch, classes), not {tuple(shape)}."
            )
        state = () if self.average == "micro" else (shape[-1],)
        self.true_positives = self.add_variable(state, "zeros", name="true_positives")
        self.false_positives = self.add_variable(state, "zeros", name="false_positives")
        self.false_negatives = self.add_variable(state, "zeros", name="false_negatives")
        self.intermediate_weights = self.add_variable(state, "zeros", name="intermediate_weights")
        self._built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate one batch: one-hot labels and scores `(batch, classes)`, weights `(batch,)`."""
        y_true = ops.convert_to_tensor(y_true, dtype=self._dtype)
        y_pred = ops.convert_to_tensor(y_pred, dtype=self._dtype)
        if not self._built:
            self._build(y_true.shape)
        if self.threshold is None:
            best = ops.max(y_pred, axis=-1, keepdims=True)
            # A row of zeros names no class.
            y_pred = ops.logical_and(ops.greater_equal(y_pred, best), ops.greater(ops.abs(y_pred), 1e-9))
        else:
            y_pred = ops.greater(y_pred, self.threshold)
        y_pred = ops.cast(y_pred, self._dtype)
        y_true = ops.cast(ops.not_equal(y_true, 0.0), self._dtype)
        if sample_weight is not None:
            sample_weight = weights_like(ops.convert_to_tensor(sample_weight, dtype=self._dtype), y_true)

        def total(values: Any) -> Any:
            return ops.sum(values if sample_weight is None else ops.multiply(values, sample_weight), axis=self.axis)

        self.true_positives.assign_add(total(ops.multiply(y_pred, y_true)))
        self.false_positives.assign_add(total(ops.multiply(y_pred, ops.subtract(1.0, y_true))))
        self.false_negatives.assign_add(total(ops.multiply(ops.subtract(1.0, y_pred), y_true)))
        self.intermediate_weights.assign_add(total(y_true))

    def result(self) -> Any:
        if not self._built:
            return ops.zeros((), dtype=self._dtype)
        right = self.true_positives.value
        precision = ops.divide_no_nan(right, ops.add(right, self.false_positives.value))
        recall = ops.divide_no_nan(right, ops.add(right, self.false_negatives.value))
        weighted = ops.add(ops.add(ops.multiply(self.beta**2, precision), recall), settings.epsilon)
        score = ops.divide(ops.multiply(1.0 + self.beta**2, ops.multiply(precision, recall)), weighted)
        if self.average == "weighted":
            weights = self.intermediate_weights.value
            return ops.sum(ops.multiply(score, ops.divide(weights, ops.add(ops.sum(weights), settings.epsilon))))
        return ops.mean(score) if self.average is not None else score

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "average": self.average, "beta": self.beta, "threshold": self.threshold}


@public("keras.metrics.F1Score")
class F1Score(FBetaScore):
    """The harmonic mean of precision and recall. For the arguments see `FBetaScore`."""

    def __init__(
        self, average: str | None = None, threshold: float | None = None, name: str = "f1_score", dtype: Any = None
    ) -> None:
        super().__init__(average, 1.0, threshold, name, dtype)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["beta"]
        return config
