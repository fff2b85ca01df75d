"""Margin losses: hinge, squared hinge and categorical hinge."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.losses.alignment import as_float_pair
from ktrain.losses.loss import FunctionLoss


def _signs(y_true: Any) -> Any:
    """Labels 0 and 1 as -1 and 1, if all labels are of this kind; others unchanged."""
    binary = ops.all(ops.logical_or(ops.equal(y_true, 0.0), ops.equal(y_true, 1.0)))
    return ops.where(binary, ops.subtract(ops.multiply(2.0, y_true), 1.0), y_true)


def _margin(y_true: Any, y_pred: Any) -> Any:
    y_true, y_pred = as_float_pair(y_true, y_pred)
    return ops.maximum(ops.subtract(1.0, ops.multiply(_signs(y_true), y_pred)), 0.0)


@public("keras.losses.hinge", "keras.metrics.hinge")
def hinge(y_true: Any, y_pred: Any) -> Any:
    """`mean(max(1 - y_true y_pred, 0))` over the last axis; labels are -1 and 1, or 0 and 1."""
    return ops.mean(_margin(y_true, y_pred), axis=-1)


@public("keras.losses.squared_hinge", "keras.metrics.squared_hinge")
def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """`mean(max(1 - y_true y_pred, 0)^2)` over the last axis; labels are -1 and 1, or 0 and 1."""
    return ops.mean(ops.square(_margin(y_true, y_pred)), axis=-1)


@public("keras.losses.categorical_hinge", "keras.metrics.categorical_hinge")
def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """`max(neg - pos + 1, 0)`: `pos` is the score of the true class, `neg` the best of the others.

    Args:
        y_true: one-hot labels, `(batch, ..., classes)`.
        y_pred: scores, like `y_true`.
    """
    y_true, y_pred = as_float_pair(y_true, y_pred)
    positive = ops.sum(ops.multiply(y_true, y_pred), axis=-1)
    negative = ops.max(ops.multiply(ops.subtract(1.0, y_true), y_pred), axis=-1)
    return ops.maximum(ops.add(ops.subtract(negative, positive), 1.0), 0.0)


@public("keras.losses.Hinge")
class Hinge(FunctionLoss):
    """The hinge loss of support vector machines. For the arguments see `keras.Loss`."""

    def __init__(self, reduction: str | None = "sum_over_batch_size", name: str = "hinge", dtype: Any = None) -> None:
        super().__init__(hinge, reduction, name, dtype)


@public("keras.losses.SquaredHinge")
class SquaredHinge(FunctionLoss):
    """The square of the hinge loss. For the arguments see `keras.Loss`."""

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "squared_hinge", dtype: Any = None
    ) -> None:
        super().__init__(squared_hinge, reduction, name, dtype)


@public("keras.losses.CategoricalHinge")
class CategoricalHinge(FunctionLoss):
    """The margin between the true class and the best other one. For the arguments see `keras.Loss`."""

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "categorical_hinge", dtype: Any = None
    ) -> None:
        super().__init__(categorical_hinge, reduction, name, dtype)
