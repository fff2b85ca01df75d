"""Crossentropy of one label out of several: one-hot, focal, and generalized."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops.config import settings
from kspec import public
from ktrain.losses.alignment import as_float_pair
from ktrain.losses.loss import FunctionLoss


def _smooth(y_true: Any, amount: Any, axis: int) -> Any:
    """One-hot labels moved towards the uniform distribution."""
    if not amount:
        return y_true
    return ops.add(ops.multiply(y_true, 1.0 - amount), amount / y_true.shape[axis])


@public("keras.losses.categorical_crossentropy", "keras.metrics.categorical_crossentropy")
def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """`-sum(y_true log(y_pred))` over `axis`.

    Args:
        y_true: one-hot labels or probabilities, `(batch, ..., classes)`.
        y_pred: probabilities, or logits with `from_logits`; like `y_true`.
        label_smoothing: how far labels move towards the uniform distribution, from 0 to 1.
        axis: of the classes.

    Returns:
        `(batch, ...)`.
    """
    y_pred = ops.convert_to_tensor(y_pred)
    y_true = ops.cast(ops.convert_to_tensor(y_true), y_pred.dtype)
    shape = tuple(y_true.shape)
    if len(shape) > 1 and shape[-1] == 1 and y_pred.shape[axis] != 1:
        raise ValueError(
            f"categorical_crossentropy takes one-hot labels of the shape of the predictions, {tuple(y_pred.shape)}; "
            f"the labels have shape {shape}. For labels that are class numbers use "
            "sparse_categorical_crossentropy, for yes/no labels binary_crossentropy."
        )
    return ops.categorical_crossentropy(
        _smooth(y_true, label_smoothing, axis), y_pred, from_logits=from_logits, axis=axis
    )


@public("keras.losses.categorical_focal_crossentropy", "keras.metrics.categorical_focal_crossentropy")
def categorical_focal_crossentropy(
    y_true: Any, y_pred: Any, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False,
    label_smoothing: float = 0.0, axis: int = -1,
) -> Any:  # fmt: skip
    """`-sum(alpha (1 - p)^gamma y_true log(p))` over `axis`, with `p = y_pred`.

    Args:
        alpha: weight, one for all classes or one for each.
        gamma: how much less easy samples count.
        y_true, y_pred, from_logits, label_smoothing, axis: see `categorical_crossentropy`.

    Lin et al., Focal Loss for Dense Object Detection, 2017.
    """
    y_true, y_pred = as_float_pair(y_true, y_pred)
    y_true = _smooth(y_true, label_smoothing, axis)
    if from_logits:
        y_pred = ops.softmax(y_pred, axis=axis)
    p = ops.divide(y_pred, ops.sum(y_pred, axis=axis, keepdims=True))
    p = ops.clip(p, settings.epsilon, 1.0 - settings.epsilon)
    value = ops.multiply(ops.negative(y_true), ops.log(p))
    weight = ops.multiply(ops.power(ops.subtract(1.0, p), gamma), alpha)
    return ops.sum(ops.multiply(weight, value), axis=axis)


@public("keras.losses.categorical_generalized_cross_entropy")
def categorical_generalized_cross_entropy(y_true: Any, y_pred: Any, q: float) -> Any:
    """`(1 - p^q) / q`, `p` being the probability given to the true class.

    Args:
        y_true: class numbers, `(batch,)` or `(batch, 1)`, or one-hot labels, `(batch, classes)`.
        y_pred: probabilities, `(batch, classes)`.
        q: between 0 (crossentropy) and 1 (absolute error).

    Zhang and Sabuncu, Generalized Cross Entropy Loss for Training Deep Neural Networks with Noisy Labels, 2018.
    """
    y_pred = ops.convert_to_tensor(y_pred)
    y_true = ops.convert_to_tensor(y_true)
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1 and y_pred.shape[-1] != 1:
        y_true = ops.squeeze(y_true, -1)
    if len(y_true.shape) < len(y_pred.shape):
        y_true = ops.one_hot(ops.cast(y_true, "int32"), y_pred.shape[-1])
    p = ops.sum(ops.multiply(ops.cast(y_true, y_pred.dtype), y_pred), axis=-1)
    return ops.divide(ops.subtract(1.0, ops.power(p, q)), q)


@public("keras.losses.CategoricalCrossentropy")
class CategoricalCrossentropy(FunctionLoss):
    """Crossentropy of one-hot labels.

    Args:
        from_logits: whether predictions are logits rather than probabilities.
        label_smoothing: how far labels move towards the uniform distribution, from 0 to 1.
        axis: of the classes.
        reduction, name, dtype: see `keras.Loss`.
    """

    def __init__(
        self, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1,
        reduction: str | None = "sum_over_batch_size", name: str = "categorical_crossentropy", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            categorical_crossentropy, reduction, name, dtype,
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


@public("keras.losses.CategoricalFocalCrossentropy")
class CategoricalFocalCrossentropy(FunctionLoss):
    """Crossentropy of one-hot labels that counts easy samples less.

    Args:
        alpha: weight, one for all classes or one for each.
        gamma: how much less easy samples count; 0 is plain crossentropy.
        from_logits, label_smoothing, axis: see `CategoricalCrossentropy`.
        reduction, name, dtype: see `keras.Loss`.
    """

    def __init__(
        self, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False, label_smoothing: float = 0.0,
        axis: int = -1, reduction: str | None = "sum_over_batch_size", name: str = "categorical_focal_crossentropy",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            categorical_focal_crossentropy, reduction, name, dtype,
            alpha=alpha, gamma=gamma, from_logits=from_logits, label_smoothing=label_smoothing, axis=axis,
        )  # fmt: skip
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing
        self.axis = axis
        self.alpha = alpha
        self.gamma = gamma

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "from_logits": self.from_logits,
            "label_smoothing": self.label_smoothing,
            "axis": self.axis,
            "alpha": self.alpha,
            "gamma": self.gamma,
        }


@public("keras.losses.CategoricalGeneralizedCrossEntropy")
class CategoricalGeneralizedCrossEntropy(FunctionLoss):
    """A loss between crossentropy and absolute error, robust against wrong labels.

    Args:
        q: between 0 (crossentropy) and 1 (absolute error), both excluded.
        reduction, name, dtype: see `keras.Loss`.
    """

    labels_are_numbers = True

    def __init__(
        self, q: float = 0.5, reduction: str | None = "sum_over_batch_size",
        name: str = "categorical_generalized_cross_entropy", dtype: Any = None,
    ) -> None:  # fmt: skip
        if not 0 < q < 1:
            raise ValueError(f"q must be between 0 and 1, not {q}.")
        super().__init__(categorical_generalized_cross_entropy, reduction, name, dtype, q=q)
        self.q = q

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "q": self.q}
