"""Losses on whole tensors, one value per sample or position, and what belongs to them.

Probabilities are clipped to `[epsilon, 1 - epsilon]` with `keras.config.epsilon()`, so that no logarithm is infinite.
Half precision is computed in float32, whose smallest numbers the clipping needs.
"""

from __future__ import annotations

import math
from typing import Any

import kops
from kops import config, promote, shapes
from kops.declare import Tensor, composite


def _matching(target: Any, output: Any) -> shapes.Shape:
    if not shapes.agree(target.shape, output.shape):
        raise ValueError(
            f"target and output must have the same shape, not {tuple(target.shape)} and {tuple(output.shape)}."
        )
    return shapes.broadcast_shapes(target.shape, output.shape)


def _safe(probabilities: Any) -> Any:
    return kops.clip(probabilities, config.epsilon(), 1 - config.epsilon())


@composite("nn", dtype=promote.real(promote.wide), shape=_matching, checked=True)
def binary_crossentropy(target: Tensor, output: Tensor, from_logits: bool = False) -> Any:
    """`-target * log(output) - (1 - target) * log(1 - output)`, elementwise.

    Args:
        target: probabilities wanted, any shape.
        output: probabilities predicted, or logits, of the same shape.
        from_logits: whether `output` are logits.

    Returns:
        A float tensor of that shape.
    """
    if from_logits:
        return kops.softplus(output) - output * target
    p = _safe(output)
    return -(target * kops.log(p) + (1 - target) * kops.log(1 - p))


def _without(shape: Any, axis: int) -> shapes.Shape:
    if not len(shape):
        raise ValueError("target and output must have at least one dimension, that of the classes.")
    return shapes.reduced_shape(shape, axis, False)


def _categorical_shape(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> shapes.Shape:
    return _without(_matching(target, output), axis)


def _log_probabilities(output: Any, from_logits: bool, axis: int) -> Any:
    if from_logits:
        return kops.log_softmax(output, axis=axis)
    return kops.log(_safe(output / kops.sum(output, axis=axis, keepdims=True)))


@composite("nn", dtype=promote.real(promote.wide), shape=_categorical_shape, checked=True)
def categorical_crossentropy(target: Tensor, output: Tensor, from_logits: bool = False, axis: int = -1) -> Any:
    """`-sum(target * log(output))` over the classes.

    Args:
        target: probabilities wanted, `(..., classes)`.
        output: probabilities predicted (made to sum to 1), or logits, of the same shape.
        from_logits: whether `output` are logits.
        axis: that of the classes.

    Returns:
        A float tensor without that axis.
    """
    return -kops.sum(target * _log_probabilities(output, from_logits, axis), axis=axis)


def _sparse_dtypes(target: Any, output: Any) -> Any:
    compute, dtype = promote.wide(output)
    return ("int32" if target != "int64" else target, compute), dtype


def _has_class_axis(target: Any, output: Any, axis: int) -> bool:
    """Whether labels keep the axis of the classes, with size 1."""
    return len(target.shape) == len(output.shape) and target.shape[axis] in (1, None)


def _sparse_shape(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> shapes.Shape:
    wanted = _without(output.shape, axis)
    labels = tuple(target.shape)
    if _has_class_axis(target, output, axis):
        labels = _without(labels, axis)
    if not shapes.agree(labels, wanted):
        raise ValueError(
            f"target must have the shape of output without its axis {axis}, {wanted}, not {tuple(target.shape)}."
        )
    return shapes.broadcast_shapes(labels, wanted)


@composite("nn", dtype=promote.real(_sparse_dtypes), shape=_sparse_shape, checked=True)
def sparse_categorical_crossentropy(target: Tensor, output: Tensor, from_logits: bool = False, axis: int = -1) -> Any:
    """`-log(output[target])`: crossentropy with the wanted class given by its number.

    Args:
        target: class numbers, `(...)` or `(..., 1)`. The loss of a number that is no class is 0.
        output: probabilities predicted (made to sum to 1), or logits, `(..., classes)`.
        from_logits: whether `output` are logits.
        axis: that of the classes in `output`.

    Returns:
        A float tensor, the shape of `output` without that axis.
    """
    if _has_class_axis(target, output, axis):
        target = kops.squeeze(target, axis=axis)
    logs = _log_probabilities(output, from_logits, axis)
    classes = kops.shape(output)[axis]
    known = kops.logical_and(target >= 0, target < classes)
    place = kops.expand_dims(kops.where(known, target, 0), axis)
    picked = kops.squeeze(kops.take_along_axis(logs, place, axis=axis), axis=axis)
    return -kops.where(known, picked, 0)


def _psnr_shape(x1: Any, x2: Any, max_val: Any) -> shapes.Shape:
    _matching(x1, x2)
    if not hasattr(max_val, "shape") and max_val <= 0:
        raise ValueError(f"max_val is the largest value that a signal can have, not {max_val}.")
    return ()


@composite("nn", dtype=promote.inexact, shape=_psnr_shape, node="PSNR", checked=True)
def psnr(x1: Tensor, x2: Tensor, max_val: float) -> Any:
    """Peak signal-to-noise ratio in decibels: `20 log10(max_val) - 10 log10(mean((x1 - x2)^2))`.

    Args:
        x1, x2: tensors of one shape.
        max_val: the largest value a signal can have.

    Returns:
        A float scalar; infinite where the signals are equal.
    """
    error = x1 - x2
    return 20 * math.log10(max_val) - kops.log10(kops.mean(error * error)) * 10
