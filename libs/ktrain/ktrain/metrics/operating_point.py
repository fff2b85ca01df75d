"""The best of one quality where another reaches a given value."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.metrics import confusion
from ktrain.metrics.metric import Metric


class _AtPoint(Metric):
    """`best` where `required` is at least `value`; both computed from the four counts at each threshold."""

    _argument = ""

    def __init__(
        self, value: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        if not 0 <= value <= 1:
            raise ValueError(f"{self._argument} must be between 0 and 1, not {value}.")
        self._direction = "up"
        self.value = value
        self.num_thresholds = num_thresholds
        self.class_id = class_id
        self.thresholds = confusion.evenly_spaced(num_thresholds)
        shape = (len(self.thresholds),)
        self.true_positives = self.add_variable(shape, "zeros", name="true_positives")
        self.false_positives = self.add_variable(shape, "zeros", name="false_positives")
        self.true_negatives = self.add_variable(shape, "zeros", name="true_negatives")
        self.false_negatives = self.add_variable(shape, "zeros", name="false_negatives")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate one batch: labels 0 or 1 and scores between 0 and 1, `(batch, ...)`."""
        y_true, y_pred, sample_weight = confusion.select(
            y_true, y_pred, sample_weight, None, self.class_id, self._dtype
        )
        found = confusion.counts(y_true, y_pred, self.thresholds, sample_weight, self._dtype)
        for variable, value in zip(self.variables, found):
            variable.assign_add(value)

    def _precision(self) -> Any:
        return ops.divide_no_nan(
            self.true_positives.value, ops.add(self.true_positives.value, self.false_positives.value)
        )

    def _recall(self) -> Any:
        return ops.divide_no_nan(
            self.true_positives.value, ops.add(self.true_positives.value, self.false_negatives.value)
        )

    def _specificity(self) -> Any:
        return ops.divide_no_nan(
            self.true_negatives.value, ops.add(self.true_negatives.value, self.false_positives.value)
        )

    def _best(self, required: Any, best: Any) -> Any:
        return ops.max(ops.where(ops.greater_equal(required, self.value), best, ops.zeros_like(best)))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "class_id": self.class_id,
            "num_thresholds": self.num_thresholds,
            self._argument: self.value,
        }


@public("keras.metrics.SensitivityAtSpecificity")
class SensitivityAtSpecificity(_AtPoint):
    """The highest share of found labels 1 at which at least `specificity` of the labels 0 are left alone.

    Args:
        specificity: between 0 and 1.
        num_thresholds: how many are tried.
        class_id: look at one class only.
        name, dtype: see `keras.Metric`.
    """

    _argument = "specificity"

    def __init__(
        self, specificity: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(specificity, num_thresholds, class_id, name, dtype)
        self.specificity = specificity

    def result(self) -> Any:
        return self._best(self._specificity(), self._recall())


@public("keras.metrics.SpecificityAtSensitivity")
class SpecificityAtSensitivity(_AtPoint):
    """The highest share of labels 0 left alone at which at least `sensitivity` of the labels 1 are found.

    For the other arguments see `SensitivityAtSpecificity`.
    """

    _argument = "sensitivity"

    def __init__(
        self, sensitivity: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype)
        self.sensitivity = sensitivity

    def result(self) -> Any:
        return self._best(self._recall(), self._specificity())


@public("keras.metrics.PrecisionAtRecall")
class PrecisionAtRecall(_AtPoint):
    """The highest precision at which at least `recall` of the labels 1 are found.

    For the other arguments see `SensitivityAtSpecificity`.
    """

    _argument = "recall"

    def __init__(
        self, recall: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(recall, num_thresholds, class_id, name, dtype)
        self.recall = recall

    def result(self) -> Any:
        return self._best(self._recall(), self._precision())


@public("keras.metrics.RecallAtPrecision")
class RecallAtPrecision(_AtPoint):
    """The highest recall at which the precision is at least `precision`.

    For the other arguments see `SensitivityAtSpecificity`.
    """

    _argument = "precision"

    def __init__(
        self, precision: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(precision, num_thresholds, class_id, name, dtype)
        self.precision = precision

    def result(self) -> Any:
        return self._best(self._precision(), self._recall())
