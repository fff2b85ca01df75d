"""Colours, filters and comparison of images."""

from __future__ import annotations

import math
from typing import Any, Sequence

import kops
from kops import dtypes, promote, shapes
from kops import images as layouts
from kops.declare import Tensor, composite


def _gray_shape(images: Any, data_format: Any = None) -> shapes.Shape:
    axis = layouts.colours(images, data_format)
    return tuple(1 if i == axis else d for i, d in enumerate(images.shape))


@composite(
    "keras.ops.image.rgb_to_grayscale", dtype=promote.real(promote.common), shape=_gray_shape, node="RGBToGrayscale"
)
def rgb_to_grayscale(images: Tensor, data_format: Any = None) -> Any:
    """Luma of colours: `0.2989 red + 0.587 green + 0.114 blue` (ITU-R BT.601).

    Args:
        images: `(batch, height, width, 3)` or `(height, width, 3)`, or with channels first.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        Images with one channel, of the dtype given; integers are truncated.
    """
    axis = layouts.colours(images, data_format)
    dtype = kops.standardize_dtype(images.dtype)
    x = images if dtype == "float64" else kops.cast(images, "float32")
    red, green, blue = kops.unstack(x, 3, axis)
    return kops.cast(kops.expand_dims(0.2989 * red + 0.587 * green + 0.114 * blue, axis), dtype)


def _floats(d: Any) -> Any:
    dtype = promote.natural(d)
    if dtype not in dtypes.FLOATS:
        raise ValueError(f"colours must be floats in [0, 1], not {dtype}.")
    return dtype, dtype


def _colour_shape(images: Any, data_format: Any = None) -> shapes.Shape:
    layouts.colours(images, data_format)
    return tuple(images.shape)


@composite("keras.ops.image.rgb_to_hsv", dtype=_floats, shape=_colour_shape, node="RGBToHSV")
def rgb_to_hsv(images: Tensor, data_format: Any = None) -> Any:
    """Hue, saturation and value of colours, all in [0, 1].

    Args:
        images: `(batch, height, width, 3)` or `(height, width, 3)`, or with channels first; floats in [0, 1].
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        Images of the same shape and dtype. A gray has hue and saturation 0.
    """
    axis = layouts.colours(images, data_format)
    red, green, blue = kops.unstack(images, 3, axis)
    value = kops.maximum(kops.maximum(red, green), blue)
    spread = value - kops.minimum(kops.minimum(red, green), blue)
    gray = spread == 0
    safe = kops.where(gray, kops.ones_like(spread), spread)
    saturation = kops.where(value > 0, spread / kops.where(value > 0, value, kops.ones_like(value)), 0.0)
    hue = kops.where(
        red == value,
        (green - blue) / safe,
        kops.where(green == value, (blue - red) / safe + 2.0, (red - green) / safe + 4.0),
    )
    hue = kops.where(gray, 0.0, kops.mod(hue / 6.0, 1.0))
    return kops.cast(kops.stack([hue, saturation, value], axis=axis), images.dtype)


@composite("keras.ops.image.hsv_to_rgb", dtype=_floats, shape=_colour_shape, node="HSVToRGB")
def hsv_to_rgb(images: Tensor, data_format: Any = None) -> Any:
    """Red, green and blue from hue, saturation and value, all in [0, 1].

    Args:
        images: `(batch, height, width, 3)` or `(height, width, 3)`, or with channels first; floats.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        Images of the same shape and dtype.
    """
    axis = layouts.colours(images, data_format)
    hue, saturation, value = kops.unstack(images, 3, axis)
    parts = []
    for n in (5.0, 3.0, 1.0):
        # value - value * saturation * max(0, min(k, 4 - k, 1)) with k on the circle of six sectors
        k = kops.mod(hue * 6.0 + n, 6.0)
        parts.append(value - value * saturation * kops.clip(kops.minimum(k, 4.0 - k), 0.0, 1.0))
    return kops.cast(kops.stack(parts, axis=axis), images.dtype)


def _gaussian(size: int, sigma: float) -> list[float]:
    values = [math.exp(-((i - (size - 1) / 2) ** 2) / (2 * sigma * sigma)) for i in range(size)]
    return [v / sum(values) for v in values]


def _filtered(x: Any, rows: Sequence[float], columns: Sequence[float], padding: str) -> Any:
    """Every channel of a batch filtered along rows and columns."""
    for weights, window in ((rows, (len(rows), 1)), (columns, (1, len(columns)))):
        taps = kops.reshape(kops.convert_to_tensor([float(w) for w in weights], x.dtype), [*window, 1, 1])
        kernel = kops.broadcast_to(taps, [*window, x.shape[-1], 1])
        x = kops.depthwise_conv(x, kernel, padding=padding, data_format="channels_last")
    return x


def _blur_shape(images: Any, kernel_size: Any, sigma: Any, data_format: Any) -> shapes.Shape:
    layouts.layout(len(images.shape), data_format)
    layouts.pair(kernel_size, "kernel_size")
    _sigmas(sigma)
    return tuple(images.shape)


def _sigmas(sigma: Any) -> tuple[float, float]:
    both = tuple(sigma) if isinstance(sigma, (tuple, list)) else (sigma, sigma)
    if len(both) != 2 or not all(isinstance(s, (int, float)) and s > 0 for s in both):
        raise ValueError(f"sigma must be a positive number or two, not {sigma!r}.")
    return both


@composite("keras.ops.image.gaussian_blur", dtype=promote.real(promote.wide), shape=_blur_shape, checked=True)
def gaussian_blur(images: Tensor, kernel_size: Any = (3, 3), sigma: Any = (1.0, 1.0), data_format: Any = None) -> Any:
    """Images blurred by a Gaussian; what lies outside counts as 0.

    Args:
        images: `(batch, height, width, channels)` or `(height, width, channels)`, or with channels first.
        kernel_size: `(height, width)` of the filter.
        sigma: standard deviations along height and width, in pixels.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        Float images of the same shape.
    """
    sizes, sigmas = layouts.pair(kernel_size, "kernel_size"), _sigmas(sigma)
    rows, columns = (_gaussian(n, s) for n, s in zip(sizes, sigmas))
    return layouts.as_batch(images, data_format, lambda x: _filtered(x, rows, columns, "same"))


def _sobel_shape(images: Any, data_format: Any = None) -> shapes.Shape:
    layouts.layout(len(images.shape), data_format)
    return (*images.shape, 2)


@composite("keras.ops.image.sobel_edges", dtype=promote.real(promote.wide), shape=_sobel_shape)
def sobel_edges(images: Tensor, data_format: Any = None) -> Any:
    """Gradients of images by Sobel filters; what lies outside counts as 0.

    Args:
        images: `(batch, height, width, channels)` or `(height, width, channels)`, or with channels first.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        The shape of `images` and a last dimension of 2: the change downwards and to the right.
    """
    step, smooth = (-1.0, 0.0, 1.0), (1.0, 2.0, 1.0)
    taps = [[[step[i] * smooth[j], smooth[i] * step[j]] for j in range(3)] for i in range(3)]

    def both(x: Any) -> Any:
        # Two filters for every channel, whose results stand side by side.
        kernel = kops.reshape(kops.convert_to_tensor(taps, x.dtype), (3, 3, 1, 2))
        kernel = kops.broadcast_to(kernel, (3, 3, x.shape[3], 2))
        y = kops.depthwise_conv(x, kernel, padding="same", data_format="channels_last")
        return kops.reshape(y, (*kops.shape(x), 2))

    return layouts.as_batch(images, data_format, both)


def _ssim_shape(image1: Any, image2: Any, filter_size: int, filter_sigma: float, data_format: Any) -> shapes.Shape:
    height, width, channels = layouts.axes(image1, data_format)
    both = shapes.broadcast_shapes(image1.shape, image2.shape)
    if image1.shape[channels] == 0:
        raise ValueError(f"images of shape {tuple(image1.shape)} have no channels to compare.")
    if len(image1.shape) != len(image2.shape):
        raise ValueError(f"the images must have one shape, not {tuple(image1.shape)} and {tuple(image2.shape)}.")
    if filter_size < 1 or not filter_sigma > 0:
        raise ValueError(f"the filter has a size from 1 up and a width above 0, not {filter_size} and {filter_sigma}.")
    for shape in (image1.shape, image2.shape):
        if any(d is not None and d < filter_size for d in (shape[height], shape[width])):
            raise ValueError(f"images of shape {tuple(shape)} are smaller than the filter of {filter_size}.")
    return both[:1] if len(both) == 4 else ()


@composite("keras.ops.image.ssim", dtype=promote.real(promote.wide), shape=_ssim_shape, node="SSIM", checked=True)
def ssim(
    image1: Tensor,
    image2: Tensor,
    max_val: float = 1.0,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    data_format: Any = None,
) -> Any:
    """Structural similarity: 1 for equal images, about 0 for unrelated ones.

    Args:
        image1, image2: `(batch, height, width, channels)` or `(height, width, channels)`, or with channels first.
        max_val: the difference between the largest and smallest possible value.
        filter_size, filter_sigma: the Gaussian window in which statistics are taken.
        k1, k2: constants that keep the ratios finite.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        `(batch,)` or a scalar: the mean over positions and channels.

    Reference: [Wang et al., 2004](https://doi.org/10.1109/TIP.2003.819861)
    """
    weights = _gaussian(filter_size, filter_sigma)

    def mean(x: Any) -> Any:
        return layouts.as_batch(x, data_format, lambda v: _filtered(v, weights, weights, "valid"))

    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    channels = layouts.axes(image1, data_format)[2]

    def moments(x: Any) -> Any:
        m, square = kops.split(mean(kops.concatenate([x, x * x], axis=channels)), 2, axis=channels)
        return m, square - m * m

    (m1, v1), (m2, v2) = moments(image1), moments(image2)
    covariance = mean(image1 * image2) - m1 * m2
    likeness = (2 * m1 * m2 + c1) / (m1 * m1 + m2 * m2 + c1)
    structure = (2 * covariance + c2) / (v1 + v2 + c2)
    axes = tuple(range(len(image1.shape)))[-3:]
    return kops.mean(likeness * structure, axis=axes)
