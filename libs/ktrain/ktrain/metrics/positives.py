"""Counts of right and wrong answers, and the precision and recall that follow from them."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.metrics import confusion
from ktrain.metrics.metric import Metric


class _Count(Metric):
    """One of the four counts, at one or several thresholds."""

    _which = 0

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.init_thresholds = thresholds
        self.thresholds = confusion.check_thresholds(thresholds, 0.5)
        self.accumulator = self.add_variable((len(self.thresholds),), "zeros", name="accumulator")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate one batch.

        Args:
            y_true: 0 or 1, `(batch, ...)`.
            y_pred: scores between 0 and 1, like `y_true`.
            sample_weight: one weight for each sample or for each value.
        """
        found = confusion.counts(y_true, y_pred, self.thresholds, sample_weight, self._dtype)
        self.accumulator.assign_add(found[self._which])

    def result(self) -> Any:
        value = self.accumulator.value
        return value[0] if len(self.thresholds) == 1 else value

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "thresholds": self.init_thresholds}


@public("keras.metrics.TruePositives")
class TruePositives(_Count):
    """The number of labels 1 that were predicted as such.

    Args:
        thresholds: above which a prediction means 1; a number or a list (then there is a result for each).
        name, dtype: see `keras.Metric`.
    """

    _which = 0


@public("keras.metrics.FalsePositives")
class FalsePositives(_Count):
    """The number of labels 0 that were predicted as 1. For the arguments see `TruePositives`."""

    _which = 1


@public("keras.metrics.TrueNegatives")
class TrueNegatives(_Count):
    """The number of labels 0 that were predicted as such. For the arguments see `TruePositives`."""

    _which = 2


@public("keras.metrics.FalseNegatives")
class FalseNegatives(_Count):
    """The number of labels 1 that were predicted as 0. For the arguments see `TruePositives`."""

    _which = 3


class _Share(Metric):
    """True positives over true positives plus one kind of error."""

    _errors = ("false_positives", 1)

    def __init__(
        self, thresholds: Any = None, top_k: int | None = None, class_id: int | None = None, name: str | None = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        self._direction = "up"
        self.init_thresholds = thresholds
        self.top_k = top_k
        self.class_id = class_id
        # Whatever is among the top k is a positive answer, whatever its score.
        self.thresholds = confusion.check_thresholds(thresholds, 0.5 if top_k is None else -1e10)
        shape = (len(self.thresholds),)
        self.true_positives = self.add_variable(shape, "zeros", name="true_positives")
        errors = self.add_variable(shape, "zeros", name=self._errors[0])
        setattr(self, self._errors[0], errors)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate one batch; shapes as for `TruePositives.update_state`."""
        y_true, y_pred, sample_weight = confusion.select(
            y_true, y_pred, sample_weight, self.top_k, self.class_id, self._dtype
        )
        found = confusion.counts(y_true, y_pred, self.thresholds, sample_weight, self._dtype)
        self.true_positives.assign_add(found[0])
        getattr(self, self._errors[0]).assign_add(found[self._errors[1]])

    def result(self) -> Any:
        right = self.true_positives.value
        share = ops.divide_no_nan(right, ops.add(right, getattr(self, self._errors[0]).value))
        return share[0] if len(self.thresholds) == 1 else share

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "thresholds": self.init_thresholds,
            "top_k": self.top_k,
            "class_id": self.class_id,
        }


@public("keras.metrics.Precision")
class Precision(_Share):
    """The share of right answers among those that say 1.

    Args:
        thresholds: above which a prediction means 1; a number or a list (then there is a result for each).
        top_k: the `top_k` best classes of each sample mean 1, the others 0.
        class_id: look at one class only.
        name, dtype: see `keras.Metric`.
    """

    _errors = ("false_positives", 1)


@public("keras.metrics.Recall")
class Recall(_Share):
    """The share of labels 1 that were found. For the arguments see `Precision`."""

    _errors = ("false_negatives", 3)
