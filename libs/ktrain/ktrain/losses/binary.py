"""Crossentropy of yes/no labels, plain and focal."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.losses.alignment import as_float_pair
from ktrain.losses.loss import FunctionLoss


def _smooth(y_true: Any, amount: Any) -> Any:
    """Labels moved from 0 and 1 towards one half."""
    if not amount:
        return y_true
    return ops.add(ops.multiply(y_true, 1.0 - amount), 0.5 * amount)


@public("keras.losses.binary_crossentropy", "keras.metrics.binary_crossentropy")
def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """`-mean(y_true log(y_pred) + (1 - y_true) log(1 - y_pred))` over `axis`.

    Args:
        y_true: 0 or 1, `(batch, ...)`.
        y_pred: probabilities, or logits with `from_logits`.
        label_smoothing: how far labels move towards 0.5, from 0 to 1.
        axis: over which to take the mean.
    """
    y_true, y_pred = as_float_pair(y_true, y_pred)
    y_true = _smooth(y_true, label_smoothing)
    return ops.mean(ops.binary_crossentropy(y_true, y_pred, from_logits=from_logits), axis=axis)


@public("keras.losses.binary_focal_crossentropy", "keras.metrics.binary_focal_crossentropy")
def binary_focal_crossentropy(
    y_true: Any, y_pred: Any, apply_class_balancing: bool = False, alpha: float = 0.25, gamma: float = 2.0,
    from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1,
) -> Any:  # fmt: skip
    """Binary crossentropy times `(1 - p)^gamma`, `p` being the probability given to the true answer.

    Args:
        apply_class_balancing: also weigh label 1 by `alpha` and label 0 by `1 - alpha`.
        y_true, y_pred, from_logits, label_smoothing, axis: see `binary_crossentropy`.

    Lin et al., Focal Loss for Dense Object Detection, 2017.
    """
    y_true, y_pred = as_float_pair(y_true, y_pred)
    y_true = _smooth(y_true, label_smoothing)
    if from_logits:
        y_pred = ops.sigmoid(y_pred)
    value = ops.binary_crossentropy(y_true, y_pred, from_logits=False)
    other = ops.subtract(1.0, y_true)
    right = ops.add(ops.multiply(y_true, y_pred), ops.multiply(other, ops.subtract(1.0, y_pred)))
    value = ops.multiply(ops.power(ops.subtract(1.0, right), gamma), value)
    if apply_class_balancing:
        value = ops.multiply(ops.add(ops.multiply(y_true, alpha), ops.multiply(other, 1.0 - alpha)), value)
    return ops.mean(value, axis=axis)


@public("keras.losses.BinaryCrossentropy")
class BinaryCrossentropy(FunctionLoss):
    """Crossentropy of yes/no labels.

    Args:
        from_logits: whether predictions are logits rather than probabilities.
        label_smoothing: how far labels move towards 0.5, from 0 to 1.
        axis: over which to take the mean.
        reduction, name, dtype: see `keras.Loss`.
    """

    def __init__(
        self, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1,
        reduction: str | None = "sum_over_batch_size", name: str = "binary_crossentropy", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            binary_crossentropy, reduction, name, dtype,
            from_logits=from_logits, label_smoothing=label_smoothing, axis=axis,
        )  # fmt: skip
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing
        self.axis = axis

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "from_logits": self.from_logits,
            "label_smoothing": self.label_smoothing,
            "axis": self.axis,
        }


@public("keras.losses.BinaryFocalCrossentropy")
class BinaryFocalCrossentropy(FunctionLoss):
    """Binary crossentropy that counts easy samples less.

    Args:
        apply_class_balancing: also weigh label 1 by `alpha` and label 0 by `1 - alpha`.
        alpha: see above.
        gamma: how much less; 0 is plain crossentropy.
        from_logits, label_smoothing, axis: see `BinaryCrossentropy`.
        reduction, name, dtype: see `keras.Loss`.
    """

    def __init__(
        self, apply_class_balancing: bool = False, alpha: float = 0.25, gamma: float = 2.0,
        from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1,
        reduction: str | None = "sum_over_batch_size", name: str = "binary_focal_crossentropy", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            binary_focal_crossentropy, reduction, name, dtype,
            apply_class_balancing=apply_class_balancing, alpha=alpha, gamma=gamma,
            from_logits=from_logits, label_smoothing=label_smoothing, axis=axis,
        )  # fmt: skip
        self.apply_class_balancing = apply_class_balancing
        self.alpha = alpha
        self.gamma = gamma
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing
        self.axis = axis

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "from_logits": self.from_logits,
            "label_smoothing": self.label_smoothing,
            "axis": self.axis,
            "apply_class_balancing": self.apply_class_balancing,
            "alpha": self.alpha,
            "gamma": self.gamma,
        }
