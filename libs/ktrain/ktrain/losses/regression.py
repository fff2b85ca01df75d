"""Errors between numbers: squared, absolute, percentage, logarithmic."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops.config import settings
from kspec import public
from ktrain.losses.alignment import as_float_pair
from ktrain.losses.loss import FunctionLoss


@public("keras.losses.mean_squared_error", "keras.metrics.mean_squared_error")
def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """`mean((y_true - y_pred)^2)` over the last axis.

    Args:
        y_true: `(batch, ..., features)`.
        y_pred: like `y_true`.

    Returns:
        `(batch, ...)`.
    """
    y_true, y_pred = as_float_pair(y_true, y_pred)
    return ops.mean(ops.square(ops.subtract(y_true, y_pred)), axis=-1)


@public("keras.losses.mean_absolute_error", "keras.metrics.mean_absolute_error")
def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """`mean(|y_true - y_pred|)` over the last axis; shapes as for `mean_squared_error`."""
    y_true, y_pred = as_float_pair(y_true, y_pred)
    return ops.mean(ops.abs(ops.subtract(y_true, y_pred)), axis=-1)


@public("keras.losses.mean_absolute_percentage_error", "keras.metrics.mean_absolute_percentage_error")
def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """`100 mean(|y_true - y_pred| / |y_true|)` over the last axis; a label of zero counts as epsilon."""
    y_true, y_pred = as_float_pair(y_true, y_pred)
    relative = ops.divide(ops.subtract(y_true, y_pred), ops.maximum(ops.abs(y_true), settings.epsilon))
    return ops.multiply(100.0, ops.mean(ops.abs(relative), axis=-1))


@public("keras.losses.mean_squared_logarithmic_error", "keras.metrics.mean_squared_logarithmic_error")
def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """`mean((log(y_true + 1) - log(y_pred + 1))^2)` over the last axis; negative numbers count as epsilon."""
    y_true, y_pred = as_float_pair(y_true, y_pred)
    log_true = ops.log1p(ops.maximum(y_true, settings.epsilon))
    log_pred = ops.log1p(ops.maximum(y_pred, settings.epsilon))
    return ops.mean(ops.square(ops.subtract(log_true, log_pred)), axis=-1)


@public("keras.losses.MeanSquaredError")
class MeanSquaredError(FunctionLoss):
    """The mean of squared differences.

    Args:
        reduction, name, dtype: see `keras.Loss`.

    Example:
        >>> float(MeanSquaredError()([[0.0, 1.0]], [[1.0, 1.0]]))
        0.5
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "mean_squared_error", dtype: Any = None
    ) -> None:
        super().__init__(mean_squared_error, reduction, name, dtype)


@public("keras.losses.MeanAbsoluteError")
class MeanAbsoluteError(FunctionLoss):
    """The mean of absolute differences. For the arguments see `keras.Loss`."""

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "mean_absolute_error", dtype: Any = None
    ) -> None:
        super().__init__(mean_absolute_error, reduction, name, dtype)


@public("keras.losses.MeanAbsolutePercentageError")
class MeanAbsolutePercentageError(FunctionLoss):
    """The mean of absolute differences in per cent of the label. For the arguments see `keras.Loss`."""

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "mean_absolute_percentage_error",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(mean_absolute_percentage_error, reduction, name, dtype)


@public("keras.losses.MeanSquaredLogarithmicError")
class MeanSquaredLogarithmicError(FunctionLoss):
    """The mean of squared differences of logarithms. For the arguments see `keras.Loss`."""

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "mean_squared_logarithmic_error",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(mean_squared_logarithmic_error, reduction, name, dtype)
