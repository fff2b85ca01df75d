"""Distances between distributions: Kullback-Leibler and Poisson."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops.config import settings
from kspec import public
from ktrain.losses.alignment import as_float_pair
from ktrain.losses.loss import FunctionLoss


@public("keras.losses.kl_divergence", "keras.metrics.kl_divergence")
def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """`sum(y_true log(y_true / y_pred))` over the last axis; probabilities below epsilon count as epsilon."""
    y_true, y_pred = as_float_pair(y_true, y_pred)
    y_true = ops.clip(y_true, settings.epsilon, 1.0)
    y_pred = ops.clip(y_pred, settings.epsilon, 1.0)
    return ops.sum(ops.multiply(y_true, ops.log(ops.divide(y_true, y_pred))), axis=-1)


@public("keras.losses.poisson", "keras.metrics.poisson")
def poisson(y_true: Any, y_pred: Any) -> Any:
    """`mean(y_pred - y_true log(y_pred))` over the last axis: minus the log-likelihood of counts, up to a constant."""
    y_true, y_pred = as_float_pair(y_true, y_pred)
    return ops.mean(ops.subtract(y_pred, ops.multiply(y_true, ops.log(ops.add(y_pred, settings.epsilon)))), axis=-1)


@public("keras.losses.KLDivergence")
class KLDivergence(FunctionLoss):
    """The Kullback-Leibler divergence of predicted from true distributions. For the arguments see `keras.Loss`."""

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "kl_divergence", dtype: Any = None
    ) -> None:
        super().__init__(kl_divergence, reduction, name, dtype)


@public("keras.losses.Poisson")
class Poisson(FunctionLoss):
    """The Poisson loss for predicted rates of counts. For the arguments see `keras.Loss`."""

    def __init__(self, reduction: str | None = "sum_over_batch_size", name: str = "poisson", dtype: Any = None) -> None:
        super().__init__(poisson, reduction, name, dtype)
