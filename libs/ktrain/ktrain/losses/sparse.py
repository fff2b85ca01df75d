"""Crossentropy of labels that are class numbers."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.losses.loss import FunctionLoss


@public("keras.losses.sparse_categorical_crossentropy", "keras.metrics.sparse_categorical_crossentropy")
def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
) -> Any:
    """`-log(y_pred[y_true])`.

    Args:
        y_true: class numbers, `(batch, ...)` or `(batch, ..., 1)`.
        y_pred: probabilities, or logits with `from_logits`, `(batch, ..., classes)`.
        ignore_class: a label whose loss is zero, for example -1 for "unlabelled".
        axis: of the classes.

    Returns:
        `(batch, ...)`.
    """
    y_pred = ops.convert_to_tensor(y_pred)
    y_true = ops.convert_to_tensor(y_true)
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1:
        y_true = ops.squeeze(y_true, -1)
    if len(y_true.shape) == len(y_pred.shape):
        raise ValueError(
            f"sparse_categorical_crossentropy takes labels that are class numbers, one axis less than the "
            f"predictions of shape {tuple(y_pred.shape)}; the labels have shape {tuple(y_true.shape)}. For one-hot "
            "labels use categorical_crossentropy."
        )
    if ignore_class is None:
        return ops.sparse_categorical_crossentropy(y_true, y_pred, from_logits=from_logits, axis=axis)
    valid = ops.not_equal(y_true, ops.cast(ignore_class, y_true.dtype))
    y_true = ops.where(valid, y_true, ops.zeros_like(y_true))
    value = ops.sparse_categorical_crossentropy(y_true, y_pred, from_logits=from_logits, axis=axis)
    return ops.where(valid, value, ops.zeros_like(value))


@public("keras.losses.SparseCategoricalCrossentropy")
class SparseCategoricalCrossentropy(FunctionLoss):
    """Crossentropy of labels that are class numbers.

    Args:
        from_logits: whether predictions are logits rather than probabilities.
        ignore_class: a label that does not count, for example -1 for "unlabelled".
        axis: of the classes.
        reduction, name, dtype: see `keras.Loss`.

    Example:
        >>> loss = SparseCategoricalCrossentropy()
        >>> float(loss([1], [[0.25, 0.5, 0.25]]))
        0.6931...
    """

    labels_are_numbers = True

    def __init__(
        self, from_logits: bool = False, ignore_class: int | None = None,
        reduction: str | None = "sum_over_batch_size", axis: int = -1,
        name: str = "sparse_categorical_crossentropy", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            sparse_categorical_crossentropy, reduction, name, dtype,
            from_logits=from_logits, ignore_class=ignore_class, axis=axis,
        )  # fmt: skip
        self.from_logits = from_logits
        self.ignore_class = ignore_class

    def valid(self, y_true: Any) -> Any:
        if self.ignore_class is None:
            return None
        return ops.not_equal(y_true, ops.cast(self.ignore_class, y_true.dtype))

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "from_logits": self.from_logits, "ignore_class": self.ignore_class}
        axis = self._fn_kwargs["axis"]
        return config if axis == -1 else {**config, "axis": axis}
