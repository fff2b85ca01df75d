"""Normalizations by given or own statistics. Half precision is computed in float32."""

from __future__ import annotations

from typing import Any, Sequence

import kops
from kops import config, promote, shapes
from kops.declare import Tensor, composite
from kops.shapes import standardize_axes, standardize_axis

HALVES = ("float16", "bfloat16")


def _batch_shape(
    x: Any, mean: Any, variance: Any, axis: int, offset: Any = None, scale: Any = None, epsilon: float = 0.001
) -> shapes.Shape:
    axis = standardize_axis(axis, len(x.shape))
    size = x.shape[axis]
    for name, value in (("mean", mean), ("variance", variance), ("offset", offset), ("scale", scale)):
        if value is not None and not shapes.agree(value.shape, (size,)):
            raise ValueError(
                f"{name} must have shape ({size},), one value per index of axis {axis}, not {value.shape}."
            )
    return tuple(x.shape)


@composite("nn", dtype=promote.real_inexact_only, shape=_batch_shape, node="BatchNorm", checked=True)
def batch_normalization(
    x: Tensor,
    mean: Tensor,
    variance: Tensor,
    axis: int,
    offset: Tensor | None = None,
    scale: Tensor | None = None,
    epsilon: float = 0.001,
) -> Any:
    """`(x - mean) / sqrt(variance + epsilon) * scale + offset`, the statistics being those of each channel.

    Args:
        x: a tensor of any shape.
        mean, variance: `(channels,)`.
        axis: the axis of `x` that holds the channels.
        offset: `(channels,)`, default 0.
        scale: `(channels,)`, default 1.
        epsilon: added to the variance.

    Returns:
        A float tensor of the shape of `x`.

    Reference: [Ioffe and Szegedy, 2015](https://arxiv.org/abs/1502.03167)
    """
    shape = [1] * len(x.shape)
    shape[axis] = -1
    dtype = kops.standardize_dtype(x.dtype)
    if dtype in HALVES:
        x, mean, variance, offset, scale = (
            None if v is None else kops.cast(v, "float32") for v in (x, mean, variance, offset, scale)
        )
    factor = kops.rsqrt(variance + epsilon)
    if scale is not None:
        factor = factor * scale
    shift = -mean * factor
    if offset is not None:
        shift = shift + offset
    return kops.cast(x * kops.reshape(factor, shape) + kops.reshape(shift, shape), dtype)


def aligned(weight: Any, x: Any, axes: Sequence[int]) -> Any:
    """A weight over `axes` of `x`, in a shape that broadcasts against `x`; others must broadcast already."""
    sizes = [x.shape[a] for a in axes]
    if weight is None or len(weight.shape) != len(axes) or list(axes) == list(range(len(x.shape)))[-len(axes) :]:
        return weight
    if list(weight.shape) != sizes:
        return weight
    return kops.reshape(weight, [x.shape[a] if a in axes else 1 for a in range(len(x.shape))])


def _own_shape(x: Any, weights: dict[str, Any], axis: Any) -> shapes.Shape:
    axes = standardize_axes(axis, len(x.shape))
    wanted = tuple(x.shape[a] for a in sorted(axes))
    for name, w in weights.items():
        if w is None or shapes.agree(w.shape, wanted):
            continue
        try:
            fits = len(shapes.broadcast_shapes(x.shape, w.shape)) == len(x.shape)
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(f"{name} must have shape {wanted}, that of the axes {axes}, not {tuple(w.shape)}.")
    return tuple(x.shape)


def _check_keywords(kwargs: dict[str, Any]) -> None:
    unknown = sorted(set(kwargs) - {"rms_scaling"})
    if unknown:
        raise TypeError(f"unknown arguments: {', '.join(unknown)}.")


def _layer_shape(
    x: Any, gamma: Any = None, beta: Any = None, axis: Any = -1, epsilon: Any = None, **kwargs: Any
) -> shapes.Shape:
    _check_keywords(kwargs)
    return _own_shape(x, {"gamma": gamma, "beta": beta}, axis)


@composite("nn", dtype=promote.real_inexact_only, shape=_layer_shape, node="LayerNorm", checked=True)
def layer_normalization(
    x: Tensor,
    gamma: Tensor | None = None,
    beta: Tensor | None = None,
    axis: Any = -1,
    epsilon: Any = None,
    **kwargs: Any,
) -> Any:
    """`(x - mean) / sqrt(variance + epsilon) * gamma + beta` with the mean and variance of `x` itself over `axis`.

    Args:
        x: a tensor of any shape.
        gamma: scale, of the shape of `axis`, default 1.
        beta: offset, of the shape of `axis`, default 0.
        axis: an int or several over which the statistics are taken.
        epsilon: added to the variance, default `keras.config.epsilon()`.
        **kwargs: `rms_scaling=True`, deprecated, divides by the standard deviation without subtracting the mean; use
            `rms_normalization`.

    Returns:
        A float tensor of the shape of `x`.

    Reference: [Ba et al., 2016](https://arxiv.org/abs/1607.06450)
    """
    epsilon = config.epsilon() if epsilon is None else epsilon
    axes = sorted(standardize_axes(axis, len(x.shape)))
    dtype = kops.standardize_dtype(x.dtype)
    wide = kops.cast(x, "float32") if dtype in HALVES else x
    mean = kops.mean(wide, axis=tuple(axes), keepdims=True)
    centered = wide - mean
    variance = kops.mean(centered * centered, axis=tuple(axes), keepdims=True)
    result = (wide if kwargs.get("rms_scaling") else centered) * kops.rsqrt(variance + epsilon)
    if gamma is not None:
        result = result * kops.cast(aligned(gamma, x, axes), wide.dtype)
    if beta is not None and not kwargs.get("rms_scaling"):
        result = result + kops.cast(aligned(beta, x, axes), wide.dtype)
    return kops.cast(result, dtype)


def _rms_shape(x: Any, scale: Any = None, axis: Any = -1, epsilon: Any = None) -> shapes.Shape:
    return _own_shape(x, {"scale": scale}, axis)


@composite("nn", dtype=promote.real_inexact_only, shape=_rms_shape, node="RMSNorm")
def rms_normalization(x: Tensor, scale: Tensor | None = None, axis: Any = -1, epsilon: Any = None) -> Any:
    """`x / sqrt(mean(x^2) + epsilon) * scale` with the mean over `axis`.

    Args:
        x: a tensor of any shape.
        scale: of the shape of `axis`, default 1.
        axis: an int or several over which the mean is taken.
        epsilon: added to the mean, default `keras.config.epsilon()`.

    Returns:
        A float tensor of the shape of `x`.

    Reference: [Zhang and Sennrich, 2019](https://arxiv.org/abs/1910.07467)
    """
    epsilon = config.epsilon() if epsilon is None else epsilon
    axes = sorted(standardize_axes(axis, len(x.shape)))
    dtype = kops.standardize_dtype(x.dtype)
    wide = kops.cast(x, "float32") if dtype in HALVES else x
    result = wide * kops.rsqrt(kops.mean(wide * wide, axis=tuple(axes), keepdims=True) + epsilon)
    if scale is not None:
        result = result * kops.cast(aligned(scale, x, axes), wide.dtype)
    return kops.cast(result, dtype)
