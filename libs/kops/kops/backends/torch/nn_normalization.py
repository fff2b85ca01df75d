"""Normalization kernels, fused."""

from __future__ import annotations

from typing import Any

import torch.nn.functional as F

from kops import config
from kops.backends.kernel_tables import kernels
from kops.declare import OPS
from kops.shapes import standardize_axes


def batch_normalization(x: Any, mean: Any, variance: Any, axis: int, offset: Any, scale: Any, epsilon: float) -> Any:
    if mean.requires_grad or variance.requires_grad or epsilon < 0:  # the kernel takes them for constants
        return OPS["batch_normalization"].body(x, mean, variance, axis, offset, scale, epsilon)
    # The kernel wants channels second; channels last is viewed so, without a copy.
    y = F.batch_norm(x.movedim(axis, 1), mean, variance, scale, offset, False, 0.0, epsilon)
    return y.movedim(1, axis)


def _trailing(x: Any, axis: Any, *weights: Any) -> Any:
    """The shape of the axes, if they are the last ones in order and the weights have that shape; else None."""
    axes = list(standardize_axes(axis, x.ndim))
    shape = x.shape[x.ndim - len(axes) :]
    fits = axes == list(range(x.ndim - len(axes), x.ndim)) and all(w is None or w.shape == shape for w in weights)
    return shape if fits else None


def layer_normalization(x: Any, gamma: Any, beta: Any, axis: Any, epsilon: Any, kwargs: Any) -> Any:
    shape = _trailing(x, axis, gamma, beta)
    if shape is None or kwargs.get("rms_scaling") or not x.ndim:
        return OPS["layer_normalization"].body(x, gamma, beta, axis, epsilon, **kwargs)
    if kwargs:
        raise TypeError(f"Unknown arguments {sorted(kwargs)}.")
    return F.layer_norm(x, shape, gamma, beta, config.epsilon() if epsilon is None else epsilon)


TABLE = kernels(batch_normalization, layer_normalization)
