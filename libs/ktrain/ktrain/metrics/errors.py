"""Regression metrics that are means of a loss."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.losses import regression, robust
from ktrain.losses.alignment import as_float_pair
from ktrain.metrics.averages import Mean, MeanMetricWrapper


class _NamedMean(MeanMetricWrapper):
    """A `MeanMetricWrapper` whose function belongs to the class."""

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name, "dtype": self.dtype}


@public("keras.metrics.MeanSquaredError")
class MeanSquaredError(_NamedMean):
    """The mean of squared differences.

    Example:
        >>> m = MeanSquaredError(); m.update_state([[0.0, 1.0]], [[1.0, 1.0]]); float(m.result())
        0.5
    """

    def __init__(self, name: str = "mean_squared_error", dtype: Any = None) -> None:
        super().__init__(regression.mean_squared_error, name, dtype)
        self._direction = "down"


@public("keras.metrics.MeanAbsoluteError")
class MeanAbsoluteError(_NamedMean):
    """The mean of absolute differences."""

    def __init__(self, name: str = "mean_absolute_error", dtype: Any = None) -> None:
        super().__init__(regression.mean_absolute_error, name, dtype)
        self._direction = "down"


@public("keras.metrics.MeanAbsolutePercentageError")
class MeanAbsolutePercentageError(_NamedMean):
    """The mean of absolute differences in per cent of the label."""

    def __init__(self, name: str = "mean_absolute_percentage_error", dtype: Any = None) -> None:
        super().__init__(regression.mean_absolute_percentage_error, name, dtype)
        self._direction = "down"


@public("keras.metrics.MeanSquaredLogarithmicError")
class MeanSquaredLogarithmicError(_NamedMean):
    """The mean of squared differences of logarithms."""

    def __init__(self, name: str = "mean_squared_logarithmic_error", dtype: Any = None) -> None:
        super().__init__(regression.mean_squared_logarithmic_error, name, dtype)
        self._direction = "down"


@public("keras.metrics.RootMeanSquaredError")
class RootMeanSquaredError(Mean):
    """The root of the mean of squared differences."""

    def __init__(self, name: str = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self._direction = "down"

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate one batch; see `MeanMetricWrapper.update_state`."""
        y_true, y_pred = as_float_pair(y_true, y_pred)
        super().update_state(ops.square(ops.subtract(y_true, y_pred)), sample_weight)

    def result(self) -> Any:
        return ops.sqrt(super().result())


@public("keras.metrics.LogCoshError")
class LogCoshError(_NamedMean):
    """The mean logarithm of the hyperbolic cosine of the error."""

    def __init__(self, name: str = "logcosh", dtype: Any = None) -> None:
        super().__init__(robust.log_cosh, name, dtype)
        self._direction = "down"


def _cosine(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    return ops.negative(robust.cosine_similarity(y_true, y_pred, axis))


@public("keras.metrics.CosineSimilarity")
class CosineSimilarity(_NamedMean):
    """The cosine of the angle between labels and predictions along `axis`: 1 for the same direction."""

    def __init__(self, name: str = "cosine_similarity", dtype: Any = None, axis: int = -1) -> None:
        super().__init__(_cosine, name, dtype, axis=axis)
        self._direction = "up"

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        axis = self._fn_kwargs["axis"]
        return config if axis == -1 else {**config, "axis": axis}
