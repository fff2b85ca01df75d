"""Overlap of segmentation masks: Dice and Tversky."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops.config import settings
from kspec import public
from ktrain.losses.alignment import as_float_pair
from ktrain.losses.loss import FunctionLoss


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


@public("keras.losses.dice")
def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """`1 - 2 sum(y_true y_pred) / (sum(y_true) + sum(y_pred))`.

    Args:
        y_true: masks, `(batch, height, width, channels)`.
        y_pred: probabilities, like `y_true`.
        axis: over which to sum, None for all; `(1, 2, 3)` gives one value for each sample.
    """
    y_true, y_pred = as_float_pair(y_true, y_pred)
    axis = _axes(axis)
    overlap = ops.sum(ops.multiply(y_true, y_pred), axis=axis)
    total = ops.add(ops.sum(y_true, axis=axis), ops.sum(y_pred, axis=axis))
    return ops.subtract(1.0, ops.divide(ops.multiply(2.0, overlap), ops.add(total, settings.epsilon)))


@public("keras.losses.tversky")
def tversky(y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None) -> Any:
    """`1 - TP / (TP + alpha FN + beta FP)` of soft masks; `alpha = beta = 0.5` is Dice.

    Args:
        alpha: weight of what is missed (labels that are predicted too low).
        beta: weight of what is invented (predictions without a label).
        y_true, y_pred, axis: see `dice`.

    Salehi et al., Tversky Loss Function for Image Segmentation Using 3D Fully Convolutional Deep Networks, 2017.
    """
    y_true, y_pred = as_float_pair(y_true, y_pred)
    axis = _axes(axis)
    overlap = ops.sum(ops.multiply(y_true, y_pred), axis=axis)
    missed = ops.sum(ops.multiply(y_true, ops.subtract(1.0, y_pred)), axis=axis)
    invented = ops.sum(ops.multiply(ops.subtract(1.0, y_true), y_pred), axis=axis)
    weighted = ops.add(ops.multiply(alpha, missed), ops.multiply(beta, invented))
    divisor = ops.add(ops.add(overlap, weighted), settings.epsilon)
    return ops.subtract(1.0, ops.divide(overlap, divisor))


@public("keras.losses.Dice")
class Dice(FunctionLoss):
    """One minus the Dice coefficient of masks.

    Args:
        axis: over which to sum, None for all.
        reduction, name, dtype: see `keras.Loss`.
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "dice", axis: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(dice, reduction, name, dtype, axis=axis)
        self.axis = axis

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}


@public("keras.losses.Tversky")
class Tversky(FunctionLoss):
    """One minus the Tversky index of masks.

    Args:
        alpha: weight of what is missed (labels that are predicted too low).
        beta: weight of what is invented (predictions without a label).
        axis: over which to sum, None for all.
        reduction, name, dtype: see `keras.Loss`.
    """

    def __init__(
        self, alpha: float = 0.5, beta: float = 0.5, reduction: str | None = "sum_over_batch_size",
        name: str = "tversky", axis: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(tversky, reduction, name, dtype, alpha=alpha, beta=beta, axis=axis)
        self.alpha = alpha
        self.beta = beta
        self.axis = axis

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "alpha": self.alpha, "beta": self.beta, "axis": self.axis}
