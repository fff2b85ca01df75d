"""Correlation of predictions with labels, and the share of variance they explain."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops.config import settings
from kspec import public
from ktrain.losses.alignment import as_float_pair, weights_like
from ktrain.losses.reduction import count
from ktrain.metrics.errors import _NamedMean
from ktrain.metrics.metric import Metric


def _moments(y_true: Any, y_pred: Any, axis: int) -> tuple[Any, ...]:
    y_true, y_pred = as_float_pair(y_true, y_pred)
    mean_true = ops.mean(y_true, axis=axis, keepdims=True)
    mean_pred = ops.mean(y_pred, axis=axis, keepdims=True)
    return mean_true, mean_pred, ops.subtract(y_true, mean_true), ops.subtract(y_pred, mean_pred)


@public("keras.metrics.pearson_correlation")
def pearson_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """`cov(y_true, y_pred) / (std(y_true) std(y_pred))` along `axis`."""
    _, _, d_true, d_pred = _moments(y_true, y_pred, axis)
    deviation = lambda d: ops.sqrt(ops.maximum(ops.mean(ops.square(d), axis=axis), settings.epsilon))
    covariance = ops.mean(ops.multiply(d_true, d_pred), axis=axis)
    return ops.divide(covariance, ops.multiply(deviation(d_true), deviation(d_pred)))


@public("keras.metrics.concordance_correlation")
def concordance_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """`2 cov / (var(y_true) + var(y_pred) + (mean(y_true) - mean(y_pred))^2)` along `axis`.

    Lin, A concordance correlation coefficient to evaluate reproducibility, 1989.
    """
    mean_true, mean_pred, d_true, d_pred = _moments(y_true, y_pred, axis)
    covariance = ops.mean(ops.multiply(d_true, d_pred), axis=axis)
    spread = ops.add(ops.mean(ops.square(d_true), axis=axis), ops.mean(ops.square(d_pred), axis=axis))
    shift = ops.squeeze(ops.square(ops.subtract(mean_true, mean_pred)), axis)
    return ops.divide(ops.multiply(2.0, covariance), ops.add(ops.add(spread, shift), settings.epsilon))


@public("keras.metrics.PearsonCorrelation")
class PearsonCorrelation(_NamedMean):
    """The mean Pearson correlation along `axis`."""

    def __init__(self, name: str = "pearson_correlation", dtype: Any = None, axis: int = -1) -> None:
        super().__init__(pearson_correlation, name, dtype, axis=axis)
        self.axis = axis
        self._direction = "up"

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}


@public("keras.metrics.ConcordanceCorrelation")
class ConcordanceCorrelation(_NamedMean):
    """The mean concordance correlation along `axis`."""

    def __init__(self, name: str = "concordance_correlation", dtype: Any = None, axis: int = -1) -> None:
        super().__init__(concordance_correlation, name, dtype, axis=axis)
        self.axis = axis
        self._direction = "up"

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}


@public("keras.metrics.R2Score")
class R2Score(Metric):
    """The share of the labels' variance that predictions explain: `1 - sum((y - p)^2) / sum((y - mean(y))^2)`.

    Args:
        class_aggregation: how outputs combine: None (one value for each), "uniform_average" or
            "variance_weighted_average".
        num_regressors: of the model, for adjusted R2; 0 for the plain one.
        name, dtype: see `keras.Metric`.
    """

    def __init__(
        self, class_aggregation: str | None = "uniform_average", num_regressors: int = 0, name: str = "r2_score",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        allowed = (None, "uniform_average", "variance_weighted_average")
        if class_aggregation not in allowed:
            raise ValueError(f"class_aggregation must be one of {allowed}, not {class_aggregation!r}.")
        if num_regressors < 0:
            raise ValueError(f"num_regressors must not be negative, but is {num_regressors}.")
        self.class_aggregation = class_aggregation
        self.num_regressors = num_regressors
        self.num_samples = self.add_variable((), "zeros", name="num_samples")
        self._built = False
        self._direction = "up"

    def _build(self, shape: Any) -> None:
        if len(shape) != 2 or shape[-1] is None:
            raise ValueError(f"R2Score takes labels and predictions of shape (batch, outputs), not {tuple(shape)}.")
        outputs = (shape[-1],)
        self.squared_sum = self.add_variable(outputs, "zeros", name="squared_sum")
        self.sum = self.add_variable(outputs, "zeros", name="sum")
        self.total_mse = self.add_variable(outputs, "zeros", name="residual")
        self.count = self.add_variable(outputs, "zeros", name="count")
        self._built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate one batch: labels and predictions `(batch, outputs)`, weights `(batch,)`."""
        y_true = ops.convert_to_tensor(y_true, dtype=self._dtype)
        y_pred = ops.convert_to_tensor(y_pred, dtype=self._dtype)
        if not self._built:
            self._build(y_true.shape)
        if sample_weight is None:
            weights: Any = ops.ones_like(y_true)
        else:
            weights = weights_like(ops.convert_to_tensor(sample_weight, dtype=self._dtype), y_true)
            weights = ops.broadcast_to(weights, ops.shape(y_true))
        weighted = ops.multiply(y_true, weights)
        self.sum.assign_add(ops.sum(weighted, axis=0))
        self.squared_sum.assign_add(ops.sum(ops.multiply(y_true, weighted), axis=0))
        self.total_mse.assign_add(ops.sum(ops.multiply(ops.square(ops.subtract(y_true, y_pred)), weights), axis=0))
        self.count.assign_add(ops.sum(weights, axis=0))
        self.num_samples.assign_add(count(y_true))

    def result(self) -> Any:
        if not self._built:
            return ops.zeros((), dtype=self._dtype)
        mean = ops.divide_no_nan(self.sum.value, self.count.value)
        total = ops.subtract(self.squared_sum.value, ops.multiply(self.sum.value, mean))
        raw = ops.subtract(1.0, ops.divide(self.total_mse.value, total))
        raw = ops.where(ops.isinf(raw), ops.zeros_like(raw), raw)
        if self.class_aggregation == "uniform_average":
            raw = ops.mean(raw)
        elif self.class_aggregation == "variance_weighted_average":
            raw = ops.divide(ops.sum(ops.multiply(total, raw)), ops.sum(total))
        if self.num_regressors == 0:
            return raw
        samples = self.num_samples.value
        factor = ops.divide(ops.subtract(samples, 1.0), ops.subtract(samples, self.num_regressors + 1.0))
        return ops.subtract(1.0, ops.multiply(ops.subtract(1.0, raw), factor))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "class_aggregation": self.class_aggregation,
            "num_regressors": self.num_regressors,
        }
