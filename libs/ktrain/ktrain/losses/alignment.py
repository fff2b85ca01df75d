"""Bringing labels, predictions and weights to shapes that can be combined."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops.dtypes import is_float_dtype


def match_ranks(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Drop or add a last axis of size 1 so that both tensors have the same rank, where one axis is the difference.

    Labels `(batch, 1)` and predictions `(batch,)` then compare element by element instead of broadcasting to
    `(batch, batch)`.
    """
    shape1, shape2 = x1.shape, x2.shape
    rank1, rank2 = len(shape1), len(shape2)
    if rank1 == rank2:
        return x1, x2
    if rank1 == rank2 + 1 and shape1[-1] == 1:
        # One number for each sample is one feature of each sample, not one sample of many features.
        return (x1, ops.expand_dims(x2, -1)) if rank2 == 1 else (ops.squeeze(x1, -1), x2)
    if rank2 == rank1 + 1 and shape2[-1] == 1:
        return (ops.expand_dims(x1, -1), x2) if rank1 == 1 else (x1, ops.squeeze(x2, -1))
    return x1, x2


def weights_like(weights: Any, values: Any) -> Any:
    """`weights` with the rank of `values`: one weight for a sample counts for everything in that sample."""
    rank_w, rank_v = len(weights.shape), len(values.shape)
    if rank_w == rank_v + 1 and weights.shape[-1] == 1:
        return ops.squeeze(weights, -1)
    if rank_w > rank_v:
        raise ValueError(
            f"Weights of shape {tuple(weights.shape)} cannot weigh values of shape {tuple(values.shape)}: give one "
            "weight for each value or for each sample. (A loss or metric of shape (batch, features) has one value "
            "for each sample, not for each feature.)"
        )
    if 0 < rank_w < rank_v:
        weights = ops.reshape(weights, (*ops.shape(weights), *(1,) * (rank_v - rank_w)))
    for w, v in zip(weights.shape, values.shape):
        if w not in (1, v) and v != 1 and w is not None and v is not None:
            raise ValueError(
                f"Weights of shape {tuple(weights.shape)} cannot weigh values of shape {tuple(values.shape)}: give "
                "one weight for each value or for each sample."
            )
    return weights


def as_float_pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Predictions as a float tensor, labels as one of the same dtype and rank."""
    y_pred = ops.convert_to_tensor(y_pred)
    if not is_float_dtype(ops.standardize_dtype(y_pred.dtype)):
        from kops.config import settings

        y_pred = ops.cast(y_pred, settings.floatx)
    y_true = ops.cast(ops.convert_to_tensor(y_true), y_pred.dtype)
    return match_ranks(y_true, y_pred)
