"""The circle loss of metric learning."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.losses.loss import FunctionLoss

_NEVER = -1e9  # a logit that contributes nothing to a sum of exponentials, and has finite gradients


def _log_sum_exp_where(logits: Any, mask: Any) -> Any:
    return ops.logsumexp(ops.where(mask, logits, _NEVER), axis=1)


@public("keras.losses.circle")
def circle(
    y_true: Any, y_pred: Any, ref_labels: Any = None, ref_embeddings: Any = None, remove_diagonal: bool = True,
    gamma: float = 80, margin: float = 0.4,
) -> Any:  # fmt: skip
    """Pull embeddings of equal labels together and push others apart, harder the further they are from their goal.

    Args:
        y_true: labels, `(batch,)`.
        y_pred: embeddings of unit length, `(batch, features)`.
        ref_labels: labels of the references, `(references,)`; default the batch itself.
        ref_embeddings: `(references, features)`; default the batch itself.
        remove_diagonal: do not compare a sample with itself; only when the references are the batch.
        gamma: scale of the similarities.
        margin: how far from 1 and 0 similarities may stay.

    Returns:
        `(batch,)`.

    Sun et al., Circle Loss: A Unified Perspective of Pair Similarity Optimization, 2020.
    """
    y_pred = ops.convert_to_tensor(y_pred)
    y_true = ops.cast(ops.convert_to_tensor(y_true), "int32")
    others = y_pred if ref_embeddings is None else ops.cast(ops.convert_to_tensor(ref_embeddings), y_pred.dtype)
    labels = y_true if ref_labels is None else ops.cast(ops.convert_to_tensor(ref_labels), "int32")
    similarity = ops.matmul(y_pred, ops.transpose(others))
    same = ops.equal(ops.reshape(y_true, (-1, 1)), ops.reshape(labels, (1, -1)))
    positive, negative = same, ops.logical_not(same)
    if remove_diagonal and ref_embeddings is None:
        rows = ops.arange(ops.shape(y_pred)[0])
        positive = ops.logical_and(same, ops.not_equal(ops.expand_dims(rows, 1), ops.expand_dims(rows, 0)))
    pull = ops.relu(ops.subtract(1.0 + margin, similarity))
    push = ops.relu(ops.add(similarity, margin))
    positive_logits = ops.multiply(ops.multiply(-gamma, pull), ops.subtract(similarity, 1.0 - margin))
    negative_logits = ops.multiply(ops.multiply(gamma, push), ops.subtract(similarity, margin))
    return ops.softplus(
        ops.add(_log_sum_exp_where(positive_logits, positive), _log_sum_exp_where(negative_logits, negative))
    )


@public("keras.losses.Circle")
class Circle(FunctionLoss):
    """The circle loss between the embeddings of a batch.

    Args:
        gamma: scale of the similarities.
        margin: how far from 1 and 0 similarities may stay.
        remove_diagonal: do not compare a sample with itself.
        reduction, name, dtype: see `keras.Loss`.
    """

    labels_are_numbers = True

    def __init__(
        self, gamma: float = 80.0, margin: float = 0.4, remove_diagonal: bool = True,
        reduction: str | None = "sum_over_batch_size", name: str = "circle", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(circle, reduction, name, dtype, remove_diagonal=remove_diagonal, gamma=gamma, margin=margin)
        self.gamma = gamma
        self.margin = margin
        self.remove_diagonal = remove_diagonal

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "gamma": self.gamma,
            "margin": self.margin,
            "remove_diagonal": self.remove_diagonal,
        }
