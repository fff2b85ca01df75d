"""What is done to gradients before the update: clipping, and the norm it needs."""

from __future__ import annotations

from typing import Any

import kops as ops


def clip_by_norm(gradients: list[Any], limit: float) -> list[Any]:
    """Each gradient scaled down to at most the norm `limit`."""
    clipped = []
    for g in gradients:
        norm = ops.sqrt(ops.sum(ops.square(g)))
        clipped.append(ops.divide(ops.multiply(g, limit), ops.maximum(norm, limit)))
    return clipped


def global_norm(gradients: list[Any]) -> Any:
    """The norm of all gradients seen as one vector."""
    total: Any = 0.0
    for g in gradients:
        total = ops.add(total, ops.sum(ops.square(g)))
    return ops.sqrt(total)


def clip_by_global_norm(gradients: list[Any], limit: float) -> list[Any]:
    """All gradients scaled by one factor, so that their common norm is at most `limit`."""
    norm = global_norm(gradients)
    factor = ops.divide(limit, ops.maximum(norm, limit))
    return [ops.multiply(g, ops.cast(factor, g.dtype)) for g in gradients]


def clip_by_value(gradients: list[Any], limit: float) -> list[Any]:
    """Each element between `-limit` and `limit`."""
    return [ops.clip(g, -limit, limit) for g in gradients]


def all_finite(gradients: list[Any]) -> Any:
    """Whether no gradient holds NaN or infinity."""
    finite: Any = True
    for g in gradients:
        if g is not None:
            finite = ops.logical_and(finite, ops.all(ops.isfinite(g)))
    return finite
