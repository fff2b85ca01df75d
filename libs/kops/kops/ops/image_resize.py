"""Resizing. Along each dimension it is a product with a matrix of interpolation weights."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

import kops
from kops import dtypes, promote, shapes
from kops import images as layouts
from kops.declare import Operand, Tensor, composite
from kops.dims import as_tuple
from kops.engine import compiling, engine
from kops.ops.image_patches import crop_images
from kops.shapes import standardize_axes, standardize_axis

METHODS = ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5")


def _triangle(x: Any, xp: Any) -> Any:
    return xp.maximum(1.0 - x, 0.0)


def _cubic(x: Any, xp: Any) -> Any:
    """Keys' cubic with a = -1/2."""
    near = (1.5 * x - 2.5) * x * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return xp.where(x < 1.0, near, xp.where(x < 2.0, far, 0.0))


def _lanczos(radius: int, x: Any, xp: Any) -> Any:
    inside = xp.where(x < 1e-3, 1.0, x)
    wave = radius * xp.sin(math.pi * inside) * xp.sin(math.pi * inside / radius) / (math.pi * inside) ** 2
    return xp.where(x < 1e-3, 1.0, xp.where(x < radius, wave, 0.0))


_KERNELS: dict[str, Any] = {
    "linear": _triangle,
    "bilinear": _triangle,
    "triangle": _triangle,
    "cubic": _cubic,
    "bicubic": _cubic,
    "lanczos3": functools.partial(_lanczos, 3),
    "lanczos5": functools.partial(_lanczos, 5),
}


def _weights(sources: Any, targets: Any, scale: Any, shift: Any, method: str, antialias: bool, xp: Any) -> Any:
    """`(targets, sources)`: how much each source position gives to each target position, rows summing to 1.

    Positions are the centres of pixels, `i + 1/2`. Antialiasing widens the kernel when shrinking.
    """
    inverse = 1.0 / scale
    width = xp.maximum(inverse, 1.0) if antialias else 1.0
    middle = (targets + 0.5) * inverse - shift * inverse - 0.5
    distance = xp.abs(middle[:, None] - sources[None, :]) / width
    weights = _KERNELS[method](distance, xp)
    total = xp.sum(weights, axis=1, keepdims=True)
    weights = xp.where(xp.abs(total) > 1e-4, weights / xp.where(total == 0.0, 1.0, total), 0.0)
    last = sources[-1]
    inside = xp.logical_and(middle >= -0.5, middle <= last + 0.5)
    return xp.where(inside[:, None], weights, 0.0)


@functools.lru_cache(maxsize=256)
def _fixed_weights(size: int, new_size: int, method: str, antialias: bool) -> np.ndarray:
    sources, targets = np.arange(size, dtype=np.float64), np.arange(new_size, dtype=np.float64)
    return _weights(sources, targets, new_size / size, 0.0, method, antialias, np)


def _resize_weights(size: int, new_size: int, method: str, antialias: bool, dtype: Any) -> Any:
    if compiling():
        sources, targets = (kops.cast(kops.arange(n), dtype) for n in (size, new_size))
        scale = sources[0] + new_size / size
        return _weights(sources, targets, scale, 0.0, method, antialias, kops)
    return kops.convert_to_tensor(_fixed_weights(size, new_size, method, antialias), dtype)


def _along(x: Any, weights: Any, axis: int) -> Any:
    """Axis `axis` of `x` multiplied with a matrix."""
    after = tuple(x.shape[axis + 1 :])
    if len(after) == 1:
        return kops.matmul(weights, x)
    if after and None not in after:  # as one axis: nothing is moved
        before = kops.shape(x)[:axis]
        y = kops.matmul(weights, kops.reshape(x, (*before, x.shape[axis], math.prod(after))))
        return kops.reshape(y, (*before, y.shape[-2], *after))
    y = kops.moveaxis(x, axis, -1)
    return kops.moveaxis(kops.matmul(y, kops.transpose(weights)), -1, axis)


def _resized(x: Any, axis: int, new_size: int, method: str, antialias: bool) -> Any:
    """`x` with another size along one axis."""
    size = x.shape[axis]
    # Where formulas are compiled as a whole, a sum of a few elements costs a fraction of the product with a matrix.
    if hasattr(engine(), "fuse"):
        weights = _fixed_weights(size, new_size, method, antialias)
        count = np.count_nonzero(weights, 1).max()
        if count <= 4:
            places = np.argsort(weights == 0, 1, kind="stable")[:, :count]
            factors = np.take_along_axis(weights, places, 1).reshape(new_size, count, *[1] * (len(x.shape) - 1 - axis))
            total: Any = 0
            for i in range(count):
                factor = kops.convert_to_tensor(factors[:, i], x.dtype)
                total = kops.add(total, kops.multiply(kops.take(x, places[:, i], axis=axis), factor))
            return total
    return _along(x, _resize_weights(size, new_size, method, antialias, x.dtype), axis)


def _whole(x: Any, dtype: str) -> Any:
    """Back to an integer dtype, rounded and limited to what it holds."""
    if dtype not in dtypes.INTS:
        return kops.cast(x, dtype)
    low, high = dtypes.limits(dtype)
    return kops.cast(kops.clip(kops.round(x), float(low), float(high)), dtype)


def _known(size: Any) -> int:
    if not isinstance(size, int):
        raise ValueError("Images of unknown height or width cannot be resized; give them a size.")
    return size


def _resize_shape(
    images: Any,
    size: Any,
    interpolation: str,
    crop_to_aspect_ratio: bool,
    pad_to_aspect_ratio: bool,
    fill_mode: str,
    data_format: Any,
) -> shapes.Shape:
    if interpolation not in METHODS:
        raise ValueError(f"interpolation must be one of {METHODS}, not {interpolation!r}.")
    if fill_mode != "constant":
        raise ValueError(f"fill_mode must be 'constant', not {fill_mode!r}.")
    if crop_to_aspect_ratio and pad_to_aspect_ratio:
        raise ValueError("only one of crop_to_aspect_ratio and pad_to_aspect_ratio can be True.")
    if 0 in (images.shape[a] for a in layouts.axes(images, data_format)[:2]):
        raise ValueError(f"images of shape {tuple(images.shape)} have nothing to resize.")
    return layouts.resized(images, layouts.pair(size, "size"), data_format)


@composite("keras.ops.image.resize", dtype=promote.real(promote.common), shape=_resize_shape, checked=True)
def resize(
    images: Tensor,
    size: Any,
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: Any = None,
) -> Any:
    """Images in another size.

    Args:
        images: `(batch, height, width, channels)` or `(height, width, channels)`, or with channels first.
        size: the new `(height, width)`.
        interpolation: `"nearest"`, `"bilinear"`, `"bicubic"`, `"lanczos3"` or `"lanczos5"`.
        antialias: average over more pixels when shrinking.
        crop_to_aspect_ratio: first cut the middle that has the new aspect ratio.
        pad_to_aspect_ratio: first pad to the new aspect ratio, equally on both sides.
        fill_mode: `"constant"`.
        fill_value: what to pad with.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        The images with the new height and width, of the dtype given; integers are rounded.
    """
    new = layouts.pair(size, "size")
    spots = layouts.axes(images, data_format)[:2]
    x = images
    have = [_known(x.shape[a]) for a in spots]
    if crop_to_aspect_ratio or pad_to_aspect_ratio:
        fit = [have[1] * new[0] // new[1], have[0] * new[1] // new[0]]
        if crop_to_aspect_ratio:
            cut = [min(h, f) for h, f in zip(have, fit)]
            top, left = ((h - c) // 2 for h, c in zip(have, cut))
            x, have = crop_images(x, top, left, None, None, cut[0], cut[1], data_format), cut
        else:
            edges = [max(f - h, 0) // 2 for h, f in zip(have, fit)]
            pads = [[edges[spots.index(i)]] * 2 if i in spots else [0, 0] for i in range(len(x.shape))]
            x = kops.pad(x, pads, constant_values=fill_value)
            have = [h + 2 * e for h, e in zip(have, edges)]
    dtype = kops.standardize_dtype(images.dtype)
    for axis, old, wanted in zip(spots, have, new):
        if interpolation == "nearest":
            x = kops.take(x, [(2 * i + 1) * old // (2 * wanted) for i in range(wanted)], axis=axis)
        elif old != wanted:
            if dtype not in ("float32", "float64"):
                x = kops.cast(x, "float32")
            x = _resized(x, axis, wanted, interpolation, antialias)
    return x if kops.standardize_dtype(x.dtype) == dtype else _whole(x, dtype)


def _translate_shape(
    images: Any, output_shape: Any, scale: Any, translation: Any, spatial_dims: Any, method: str, antialias: bool = True
) -> shapes.Shape:
    if method not in _KERNELS or method == "bilinear":
        raise ValueError(f"method must be 'linear', 'cubic', 'lanczos3' or 'lanczos5', not {method!r}.")
    if len(output_shape) != len(images.shape):
        raise ValueError(f"output_shape {tuple(output_shape)} must have {len(images.shape)} dimensions.")
    dims = standardize_axes(as_tuple(spatial_dims), len(images.shape))
    for name, x in (("scale", scale), ("translation", translation)):
        if len(x.shape) != 1 or x.shape[0] not in (None, len(dims)):
            raise ValueError(f"{name} holds a number for each of the {len(dims)} dimensions, not {tuple(x.shape)}.")
    if 0 in (images.shape[i] for i in dims):
        raise ValueError(f"images of shape {tuple(images.shape)} have nothing to scale.")
    return tuple(int(output_shape[i]) if i in dims else d for i, d in enumerate(images.shape))


@composite("keras.ops.image.scale_and_translate", dtype=layouts.moved_by_floats, shape=_translate_shape, checked=True)
def scale_and_translate(
    images: Tensor,
    output_shape: Operand,
    scale: Tensor,
    translation: Tensor,
    spatial_dims: Any,
    method: str,
    antialias: bool = True,
) -> Any:
    """Images scaled, moved, and cut to a shape: output position `x` comes from `(x - translation) / scale`.

    Args:
        images: a tensor of any shape.
        output_shape: the whole shape of the result.
        scale: `(len(spatial_dims),)`, the factor along each of them.
        translation: `(len(spatial_dims),)`, in pixels of the result.
        spatial_dims: the axes to scale.
        method: `"linear"`, `"cubic"`, `"lanczos3"` or `"lanczos5"`.
        antialias: average over more pixels when shrinking.

    Returns:
        A tensor of shape `output_shape` and of the dtype of `images`; 0 where it shows what is outside.
    """
    dtype = kops.standardize_dtype(images.dtype)
    x = images if dtype in ("float32", "float64") else kops.cast(images, "float32")
    scale, translation = kops.cast(scale, x.dtype), kops.cast(translation, x.dtype)
    for i, axis in enumerate(as_tuple(spatial_dims)):
        axis = standardize_axis(axis, len(x.shape))
        sources, targets = (
            kops.convert_to_tensor([float(v) for v in range(n)], x.dtype)
            for n in (_known(x.shape[axis]), int(output_shape[axis]))
        )
        weights = _weights(sources, targets, scale[i], translation[i], method, antialias, kops)
        x = _along(x, weights, axis)
    return _whole(x, dtype)
