"""Errors that grow linearly for outliers: Huber and log-cosh; and the cosine of the angle between vectors."""

from __future__ import annotations

import math
from typing import Any

import kops as ops
from kspec import public
from ktrain.losses.alignment import as_float_pair
from ktrain.losses.loss import FunctionLoss


@public("keras.losses.huber", "keras.metrics.huber")
def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """`e^2 / 2` where `|e| <= delta`, else `delta |e| - delta^2 / 2`, `e` the error; mean over the last axis.

    Huber, Robust Estimation of a Location Parameter, 1964.
    """
    y_true, y_pred = as_float_pair(y_true, y_pred)
    error = ops.abs(ops.subtract(y_true, y_pred))
    small = ops.multiply(0.5, ops.square(error))
    large = ops.subtract(ops.multiply(delta, error), 0.5 * delta * delta)
    return ops.mean(ops.where(ops.less_equal(error, delta), small, large), axis=-1)


@public("keras.losses.log_cosh", "keras.metrics.log_cosh")
def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """`mean(log(cosh(y_pred - y_true)))` over the last axis, computed without overflow."""
    y_true, y_pred = as_float_pair(y_true, y_pred)
    error = ops.abs(ops.subtract(y_pred, y_true))
    # log cosh e = |e| + log(1 + exp(-2|e|)) - log 2
    return ops.mean(ops.subtract(ops.add(error, ops.softplus(ops.multiply(-2.0, error))), math.log(2.0)), axis=-1)


@public("keras.losses.cosine_similarity")
def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Minus the cosine of the angle between labels and predictions along `axis`: -1 for the same direction."""
    y_true, y_pred = as_float_pair(y_true, y_pred)
    product = ops.multiply(ops.normalize(y_true, axis=axis), ops.normalize(y_pred, axis=axis))
    return ops.negative(ops.sum(product, axis=axis))


@public("keras.losses.Huber")
class Huber(FunctionLoss):
    """Squared error near zero, absolute error beyond `delta`.

    Args:
        delta: where it changes from one to the other.
        reduction, name, dtype: see `keras.Loss`.
    """

    def __init__(
        self, delta: float = 1.0, reduction: str | None = "sum_over_batch_size", name: str = "huber_loss",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(huber, reduction, name, dtype, delta=delta)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        delta = self._fn_kwargs["delta"]
        # Files of Keras have no delta; ours must not lose one that was chosen.
        return config if delta == 1.0 else {**config, "delta": delta}


@public("keras.losses.LogCosh")
class LogCosh(FunctionLoss):
    """The logarithm of the hyperbolic cosine of the error. For the arguments see `keras.Loss`."""

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "log_cosh", dtype: Any = None
    ) -> None:
        super().__init__(log_cosh, reduction, name, dtype)


@public("keras.losses.CosineSimilarity")
class CosineSimilarity(FunctionLoss):
    """Minus the cosine of the angle between labels and predictions.

    Args:
        axis: along which the vectors lie.
        reduction, name, dtype: see `keras.Loss`.
    """

    def __init__(
        self, axis: int = -1, reduction: str | None = "sum_over_batch_size", name: str = "cosine_similarity",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(cosine_similarity, reduction, name, dtype, axis=axis)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        axis = self._fn_kwargs["axis"]
        return config if axis == -1 else {**config, "axis": axis}
