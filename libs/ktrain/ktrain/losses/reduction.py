"""From one loss value for each sample to the number that is minimised."""

from __future__ import annotations

import math
from typing import Any

import kops as ops
from ktrain.losses.alignment import match_ranks, weights_like

REDUCTIONS = ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none", None)


def check_reduction(reduction: Any) -> None:
    """Refuse what is not a reduction."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"Unknown reduction {reduction!r}. Choose one of: {', '.join(str(r) for r in REDUCTIONS)}.")


def count(values: Any) -> Any:
    """The number of elements, a Python number where the shape is known."""
    shape = values.shape
    if None in tuple(shape):
        return ops.prod(ops.cast(ops.convert_to_tensor(ops.shape(values)), values.dtype))
    return math.prod(shape)


def mask_weights(sample_weight: Any, mask: Any, dtype: str, reduction: str | None) -> Any:
    """Weights that are zero where `mask` is False.

    Means divide by the number of all elements; the weights of the valid ones are raised so that the result is
    the mean over the valid ones.
    """
    mask = ops.cast(mask, dtype)
    if reduction in ("mean", "sum_over_batch_size"):
        from kops.config import settings

        mask = ops.multiply(mask, ops.divide(count(mask), ops.add(ops.sum(mask), settings.epsilon)))
    if sample_weight is None:
        return mask
    sample_weight = ops.convert_to_tensor(sample_weight, dtype=dtype)
    if len(sample_weight.shape) > len(mask.shape):
        mask = weights_like(mask, sample_weight)
    else:
        sample_weight = weights_like(sample_weight, mask)
    return ops.multiply(sample_weight, mask)


def reduce_weighted(
    values: Any, sample_weight: Any = None, mask: Any = None, reduction: str | None = "sum_over_batch_size",
    dtype: str | None = None,
) -> Any:  # fmt: skip
    """Weigh `values` and reduce them.

    Args:
        values: losses, `(batch, ...)`.
        sample_weight: of the rank of `values` or lower (one weight for a sample).
        mask: booleans like `sample_weight`; False excludes an element.
        reduction: "sum", "sum_over_batch_size" (or "mean": divide by the number of elements),
            "mean_with_sample_weight" (divide by the sum of weights), "none" or None.
        dtype: in which to compute; default that of `values`.
    """
    dtype = dtype or ops.standardize_dtype(values.dtype)
    values = ops.convert_to_tensor(values, dtype=dtype)
    if mask is not None:
        sample_weight = mask_weights(sample_weight, mask, dtype, reduction)
    if sample_weight is not None:
        values, sample_weight = match_ranks(values, ops.convert_to_tensor(sample_weight, dtype=dtype))
        sample_weight = weights_like(sample_weight, values)
        values = ops.multiply(values, sample_weight)
    if reduction is None or reduction == "none" or len(values.shape) == 0:
        return values
    if reduction == "sum_over_batch_size" or reduction == "mean":
        if None not in tuple(values.shape):
            return ops.mean(values) if math.prod(values.shape) else ops.sum(values)
        return ops.divide_no_nan(ops.sum(values), count(values))
    total = ops.sum(values)
    if reduction == "mean_with_sample_weight":
        if sample_weight is None:
            divisor = ops.cast(count(values), dtype)
        else:
            divisor = ops.sum(ops.broadcast_to(sample_weight, ops.shape(values)))
        return ops.divide_no_nan(total, divisor)
    return total
