"""The area under the ROC or precision-recall curve."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops as ops
from kops.config import settings
from kspec import public
from ktrain.metrics import confusion
from ktrain.metrics.metric import Metric


@public("keras.metrics.AUC")
class AUC(Metric):
    """The area under a curve, approximated by `num_thresholds` points of it.

    Args:
        num_thresholds: how many points; more are more exact.
        curve: "ROC" (true over false positive rate) or "PR" (precision over recall).
        summation_method: "interpolation" (trapezoids for ROC, the interpolation of Davis and Goadrich for PR),
            "minoring" (left sum) or "majoring" (right sum).
        thresholds: the points themselves, between 0 and 1.
        multi_label: average the areas of the labels `(batch, num_labels)`, instead of flattening them.
        num_labels: needed for `multi_label` only when the state must exist before the first batch.
        label_weights: a weight for each label.
        from_logits: whether predictions are logits rather than probabilities.
        name, dtype: see `keras.Metric`.

    Example:
        >>> m = AUC(); m.update_state([0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9]); float(m.result())
        0.75

    Davis and Goadrich, The Relationship Between Precision-Recall and ROC Curves, 2006.
    """

    def __init__(
        self, num_thresholds: int = 200, curve: str = "ROC", summation_method: str = "interpolation",
        name: str | None = None, dtype: Any = None, thresholds: Any = None, multi_label: bool = False,
        num_labels: int | None = None, label_weights: Any = None, from_logits: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be 'ROC' or 'PR', not {curve!r}.")
        if summation_method not in ("interpolation", "minoring", "majoring"):
            raise ValueError(
                f"summation_method must be 'interpolation', 'minoring' or 'majoring', not {summation_method!r}."
            )
        if thresholds is None:
            if num_thresholds <= 1:
                raise ValueError(f"num_thresholds must be greater than 1, not {num_thresholds}.")
            inner = confusion.evenly_spaced(num_thresholds)[1:-1]
        else:
            inner = sorted(confusion.check_thresholds(thresholds, 0.5))
        # Slightly outside of [0, 1], so that predictions of exactly 0 and 1 fall on the right sides.
        self._thresholds = np.array([-settings.epsilon, *inner, 1.0 + settings.epsilon])
        self._given = None if thresholds is None else inner
        self.num_thresholds = len(self._thresholds)
        self.curve = curve
        self.summation_method = summation_method
        self.multi_label = multi_label
        self.num_labels = num_labels
        self.label_weights = label_weights
        self.from_logits = from_logits
        self._direction = "up"
        self._built = False
        if not multi_label or num_labels:
            self._build(num_labels)

    @property
    def thresholds(self) -> list[float]:
        """The points at which the curve is known."""
        return [float(t) for t in self._thresholds]

    def _build(self, labels: int | None) -> None:
        shape = (self.num_thresholds, labels) if self.multi_label else (self.num_thresholds,)
        self.true_positives = self.add_variable(shape, "zeros", name="true_positives")
        self.false_positives = self.add_variable(shape, "zeros", name="false_positives")
        self.true_negatives = self.add_variable(shape, "zeros", name="true_negatives")
        self.false_negatives = self.add_variable(shape, "zeros", name="false_negatives")
        self._built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate one batch.

        Args:
            y_true: 0 or 1, `(batch, ...)`.
            y_pred: scores between 0 and 1 (or logits), like `y_true`.
            sample_weight: one weight for each sample or for each value.
        """
        y_pred = ops.convert_to_tensor(y_pred, dtype=self._dtype)
        if not self._built:
            self._build(y_pred.shape[-1])
        if self.from_logits:
            y_pred = ops.sigmoid(y_pred)
        found = confusion.counts(
            y_true, y_pred, self._thresholds, sample_weight, self._dtype, by_label=self.multi_label,
            label_weights=self.label_weights,
        )  # fmt: skip
        for variable, value in zip(self.variables, found):
            variable.assign_add(value)

    def _average(self, areas: Any) -> Any:
        """One number from the areas, `(thresholds - 1,)` or `(thresholds - 1, labels)`."""
        if not self.multi_label:
            return ops.sum(areas)
        areas = ops.sum(areas, axis=0)
        if self.label_weights is None:
            return ops.mean(areas)
        weights = ops.convert_to_tensor(self.label_weights, dtype=self._dtype)
        return ops.divide_no_nan(ops.sum(ops.multiply(areas, weights)), ops.sum(weights))

    def interpolate_pr_auc(self) -> Any:
        """The area under the precision-recall curve, true positives being linear between thresholds."""
        tp, fn = self.true_positives.value, self.false_negatives.value
        positive = ops.add(tp, self.false_positives.value)
        d_tp = ops.subtract(tp[:-1], tp[1:])
        slope = ops.divide_no_nan(d_tp, ops.maximum(ops.subtract(positive[:-1], positive[1:]), 0.0))
        intercept = ops.subtract(tp[1:], ops.multiply(slope, positive[1:]))
        known = ops.logical_and(ops.greater(positive[:-1], 0.0), ops.greater(positive[1:], 0.0))
        ratio = ops.divide_no_nan(positive[:-1], ops.maximum(positive[1:], 0.0))
        ratio = ops.where(known, ratio, ops.ones_like(ratio))
        part = ops.multiply(slope, ops.add(d_tp, ops.multiply(intercept, ops.log(ratio))))
        return self._average(ops.divide_no_nan(part, ops.maximum(ops.add(tp[1:], fn[1:]), 0.0)))

    def result(self) -> Any:
        if not self._built:
            return ops.zeros((), dtype=self._dtype)
        if self.curve == "PR" and self.summation_method == "interpolation":
            return self.interpolate_pr_auc()
        tp, fp = self.true_positives.value, self.false_positives.value
        tn, fn = self.true_negatives.value, self.false_negatives.value
        recall = ops.divide_no_nan(tp, ops.add(tp, fn))
        if self.curve == "ROC":
            x, y = ops.divide_no_nan(fp, ops.add(fp, tn)), recall
        else:
            x, y = recall, ops.divide_no_nan(tp, ops.add(tp, fp))
        if self.summation_method == "interpolation":
            heights = ops.multiply(0.5, ops.add(y[:-1], y[1:]))
        elif self.summation_method == "minoring":
            heights = ops.minimum(y[:-1], y[1:])
        else:
            heights = ops.maximum(y[:-1], y[1:])
        return self._average(ops.multiply(ops.subtract(x[:-1], x[1:]), heights))

    def get_config(self) -> dict[str, Any]:
        weights = self.label_weights
        config = {
            **super().get_config(),
            "num_thresholds": self.num_thresholds,
            "curve": self.curve,
            "summation_method": self.summation_method,
            "multi_label": self.multi_label,
            "num_labels": self.num_labels,
            "label_weights": None if weights is None else [float(w) for w in np.ravel(weights)],
            "from_logits": self.from_logits,
        }
        return config if self._given is None else {**config, "thresholds": self._given}
