"""Connectionist temporal classification: labels without alignment to the steps of the prediction."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.losses.loss import FunctionLoss


@public("keras.losses.ctc")
def ctc(y_true: Any, y_pred: Any) -> Any:
    """The negative log-likelihood of label sequences, summed over all alignments.

    Args:
        y_true: class numbers, `(batch, labels)`; 0 is padding.
        y_pred: logits, `(batch, steps, classes)`; class 0 is "blank".

    Returns:
        `(batch,)`.

    Graves et al., Connectionist Temporal Classification, 2006.
    """
    y_true = ops.convert_to_tensor(y_true)
    y_pred = ops.convert_to_tensor(y_pred)
    if len(y_true.shape) != 2 or len(y_pred.shape) != 3:
        raise ValueError(
            "ctc takes labels of shape (batch, labels) and logits of shape (batch, steps, classes), "
            f"not {tuple(y_true.shape)} and {tuple(y_pred.shape)}."
        )
    batch, steps = ops.shape(y_pred)[0], ops.shape(y_pred)[1]
    input_length = ops.multiply(ops.ones((batch,), dtype="int32"), steps)
    y_true = ops.cast(y_true, "int32")
    label_length = ops.sum(ops.cast(ops.not_equal(y_true, 0), "int32"), axis=-1)
    return ops.ctc_loss(y_true, y_pred, label_length, input_length, mask_index=0)


@public("keras.losses.CTC")
class CTC(FunctionLoss):
    """The connectionist temporal classification loss. For the arguments see `keras.Loss`."""

    labels_are_numbers = True

    def __init__(self, reduction: str | None = "sum_over_batch_size", name: str = "ctc", dtype: Any = None) -> None:
        super().__init__(ctc, reduction, name, dtype)
