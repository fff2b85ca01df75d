"""Counts of true and false positives and negatives at several thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops as ops
from ksave import claim_variable
from ktrain.losses.alignment import match_ranks, weights_like

# Up to so many thresholds every prediction is compared with each; beyond, predictions are sorted into buckets.
_COMPARE = 4


def counts(
    y_true: Any, y_pred: Any, thresholds: Any, sample_weight: Any, dtype: str, by_label: bool = False,
    label_weights: Any = None,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """True positives, false positives, true negatives and false negatives of `y_pred > threshold`.

    Args:
        y_true: 0 or 1 (anything else than zero counts as 1), `(batch, ...)`.
        y_pred: scores, like `y_true`.
        thresholds: sorted numbers, `(thresholds,)`.
        sample_weight: of the rank of `y_true` or lower, or None.
        by_label: count each column of `(batch, labels)` by itself.
        label_weights: a weight for each column.

    Returns:
        Four tensors `(thresholds,)`, or `(thresholds, labels)` with `by_label`.
    """
    y_pred = ops.convert_to_tensor(y_pred, dtype=dtype)
    y_true = ops.cast(ops.not_equal(ops.convert_to_tensor(y_true), 0), dtype)
    y_true, y_pred = match_ranks(y_true, y_pred)
    weights = ops.ones_like(y_true)
    if sample_weight is not None:
        weights = ops.multiply(weights, weights_like(ops.convert_to_tensor(sample_weight, dtype=dtype), y_true))
    if label_weights is not None and not by_label:
        weights = ops.multiply(weights, ops.convert_to_tensor(label_weights, dtype=dtype))
    labels = y_true.shape[-1] if by_label else 1
    if by_label and (len(y_true.shape) != 2 or labels is None):
        raise ValueError(f"Counting by label takes labels of shape (batch, labels), not {tuple(y_true.shape)}.")
    shape = (-1, labels)
    y_true, y_pred, weights = (ops.reshape(x, shape) for x in (y_true, y_pred, weights))
    positive = ops.multiply(y_true, weights)
    all_positive = ops.sum(positive, axis=0)
    all_negative = ops.subtract(ops.sum(weights, axis=0), all_positive)
    negative = ops.subtract(weights, positive)
    above = _sums_above(y_pred, np.asarray(thresholds, dtype="float32"), labels, (positive, negative))
    true_positives, false_positives = above
    true_negatives = ops.subtract(all_negative, false_positives)
    false_negatives = ops.subtract(all_positive, true_positives)
    results = (true_positives, false_positives, true_negatives, false_negatives)
    return results if by_label else tuple(ops.squeeze(x, -1) for x in results)  # type: ignore[return-value]


def _sums_above(y_pred: Any, thresholds: np.ndarray, labels: int, weights: tuple[Any, Any]) -> list[Any]:
    """For each threshold the sum of the weights of predictions above it, `(thresholds, labels)`."""
    number = len(thresholds)
    if number <= _COMPARE:
        limits = ops.convert_to_tensor(thresholds.reshape(-1, 1, 1), dtype=ops.standardize_dtype(y_pred.dtype))
        above = ops.cast(ops.greater(ops.expand_dims(y_pred, 0), limits), y_pred.dtype)
        return [ops.sum(ops.multiply(above, ops.expand_dims(w, 0)), axis=1) for w in weights]
    limits = ops.convert_to_tensor(thresholds, dtype=ops.standardize_dtype(y_pred.dtype))
    # The bucket of a prediction is the number of thresholds below it.
    bucket = ops.cast(ops.searchsorted(limits, ops.reshape(y_pred, (-1,)), side="left"), "int32")
    if labels > 1:
        columns = ops.cast(ops.arange(labels), "int32")
        bucket = ops.reshape(ops.add(ops.multiply(ops.reshape(bucket, (-1, labels)), labels), columns), (-1,))
    sums = []
    for w in weights:
        total = ops.segment_sum(ops.reshape(w, (-1,)), bucket, num_segments=(number + 1) * labels)
        total = ops.reshape(total, (number + 1, labels))[1:]
        sums.append(ops.flip(ops.cumsum(ops.flip(total, axis=0), axis=0), axis=0))
    return sums


def check_thresholds(thresholds: Any, default: float) -> list[float]:
    """Thresholds as a list; each between 0 and 1."""
    if thresholds is None:
        return [default]
    listed = list(thresholds) if isinstance(thresholds, (list, tuple, np.ndarray)) else [thresholds]
    wrong = [t for t in listed if t is None or not 0 <= t <= 1]
    if wrong:
        raise ValueError(f"Thresholds must be between 0 and 1, not {', '.join(map(str, wrong))}.")
    return [float(t) for t in listed]


def evenly_spaced(number: int) -> list[float]:
    """`number` thresholds from 0 to 1."""
    if number <= 0:
        raise ValueError(f"num_thresholds must be positive, not {number}.")
    claim_variable((number,), 32)  # Python numbers in a list
    if number == 1:
        return [0.5]
    return [i / (number - 1) for i in range(number)]


def select(
    y_true: Any, y_pred: Any, sample_weight: Any, top_k: int | None, class_id: int | None, dtype: str
) -> tuple[Any, Any, Any]:
    """Labels and predictions restricted to the `top_k` best classes of each sample and to one class."""
    y_pred = ops.convert_to_tensor(y_pred, dtype=dtype)
    y_true = ops.convert_to_tensor(y_true, dtype=dtype)
    y_true, y_pred = match_ranks(y_true, y_pred)
    if top_k is not None:
        indices = ops.top_k(y_pred, k=top_k, sorted=False)[1]
        kept = ops.sum(ops.one_hot(indices, y_pred.shape[-1], dtype=dtype), axis=-2)
        y_pred = ops.where(ops.greater(kept, 0.0), y_pred, -1e10)
    if class_id is not None:
        y_true, y_pred = y_true[..., class_id], y_pred[..., class_id]
        if sample_weight is not None:
            sample_weight = ops.convert_to_tensor(sample_weight, dtype=dtype)
            if len(sample_weight.shape) == len(y_true.shape) + 1:
                column = class_id if sample_weight.shape[-1] != 1 else 0
                sample_weight = sample_weight[..., column]
    return y_true, y_pred, sample_weight
