"""RandomSharpness, RandomGaussianBlur and RandomErasing."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from klayers.layers.color_layer import ColorLayer, FreeTransformation
from klayers.layers.random_tone import _FactorLayer
from klayers.layers.settings import config_of
from kops import random, windows
from kspec import public


@public("keras.layers.RandomSharpness")
class RandomSharpness(FreeTransformation, _FactorLayer):
    """Blurs or sharpens an image, in training only.

    Args:
        factor: 0 is blurred, 0.5 no change and 1 sharpened; a number n is (0, n), or (lower, upper).
        value_range: the lowest and the highest value of a pixel.
        data_format: "channels_last" or "channels_first", default as configured.
        seed: an integer, or None to draw one.
    """

    _factor_bounds = (0, 1)

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(value_range, seed, factor=factor, data_format=data_format, **kwargs)

    def _changed(self, images: Any, transformation: Any) -> Any:
        kernel = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], "float32") / 13
        smooth = filtered(images, kernel, self.data_format)
        return smooth + (images - smooth) * self._each(2.0 * transformation, images)


def filtered(images: Any, kernel: Any, data_format: str) -> Any:
    """Each channel convolved with a kernel `(height, width)`; 0 beyond the edges."""
    lone = len(images.shape) == 3
    x = kops.expand_dims(images, 0) if lone else images
    channels = x.shape[1 if data_format == "channels_first" else -1]
    kernel = kops.cast(kernel, x.dtype)
    kernel = kops.tile(kops.reshape(kernel, (*kernel.shape, 1, 1)), (1, 1, channels, 1))
    y = kops.depthwise_conv(x, kernel, strides=1, padding="same", data_format=data_format)
    return y[0] if lone else y


@public("keras.layers.RandomGaussianBlur")
class RandomGaussianBlur(FreeTransformation, _FactorLayer):
    """Blurs an image with some probability, in training only.

    Args:
        factor: the probability, or (lower, upper), between which it is drawn; a number is (0, number).
        kernel_size: of the filter, a number or a pair.
        sigma: the standard deviation of the Gaussian in pixels, or (lower, upper), between which it is drawn for each
            batch; a number is (0, number).
        value_range, data_format, seed: see `RandomSharpness`.
    """

    _factor_bounds = (0, 1)

    def __init__(
        self,
        factor: Any = 1.0,
        kernel_size: Any = 3,
        sigma: Any = 1.0,
        value_range: Any = (0, 255),
        data_format: Any = None,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, seed, factor=factor, data_format=data_format, **kwargs)
        self.kernel_size = windows.each(kernel_size, 2, "kernel_size")
        self.sigma = self._range(sigma, "sigma", (0, float("inf")))

    def _draw(self, batch: tuple[Any, ...], seed: Any) -> Any:
        sigma = self._uniform((2,), self.sigma, seed)
        return {"apply": self._chosen(batch, self.factor, seed), "sigma": kops.maximum(sigma, 1e-3)}

    def _changed(self, images: Any, transformation: Any) -> Any:
        rows, columns = (self._gaussian(n, transformation["sigma"][i]) for i, n in enumerate(self.kernel_size))
        kernel = kops.expand_dims(rows, 1) * kops.expand_dims(columns, 0)
        blurred = filtered(images, kernel, self.data_format)
        return kops.where(self._per_image(transformation["apply"], images), blurred, images)

    @staticmethod
    def _gaussian(size: int, sigma: Any) -> Any:
        steps = kops.cast(np.arange(size) - (size - 1) / 2, "float32")
        return kops.softmax(-kops.square(steps) / (2.0 * kops.square(sigma)))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "kernel_size", "sigma")}


@public("keras.layers.RandomErasing")
class RandomErasing(FreeTransformation, ColorLayer):
    """Covers a rectangle of an image with some probability, in training only.

    Args:
        factor: the probability, or (lower, upper), between which it is drawn; a number is (0, number).
        scale: (lower, upper), between which the rectangle's share of the image is drawn.
        fill_value: what the rectangle shows; None for noise.
        value_range, seed, data_format: see `RandomSharpness`.

    Source: Zhong et al., "Random erasing data augmentation", 2017.
    """

    _uses_factor = True
    _factor_bounds = (0, 1)

    def __init__(
        self,
        factor: Any = 1.0,
        scale: Any = (0.02, 0.33),
        fill_value: Any = None,
        value_range: Any = (0, 255),
        seed: Any = None,
        data_format: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, seed, factor=factor, data_format=data_format, **kwargs)
        self.scale = self._range(scale, "scale", (0, 1))
        self.fill_value = fill_value

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        seed = self.generator if seed is None else seed
        sizes = self._images_shape(data)
        batch = self._batch(sizes)
        height, width = (kops.cast(sizes[a], "float32") for a in (self.height_axis, self.width_axis))
        found = rectangles(batch, height, width, self._uniform(batch, self.scale, seed), seed)
        found["apply"] = self._chosen(batch, self.factor, seed)
        if self.fill_value is None:
            low, high = (float(v) for v in self.value_range)
            found["fill"] = random.uniform(sizes, low, high, dtype="float32", seed=seed)
        return found

    def _changed(self, images: Any, transformation: Any) -> Any:
        inside = inside_rectangles(images, transformation, self)
        inside = kops.logical_and(inside, self._per_image(transformation["apply"], images))
        fill = transformation.get("fill")
        fill = float(self.fill_value) if fill is None else kops.cast(fill, images.dtype)
        return kops.where(inside, fill, images)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "factor", "scale", "fill_value")}


def rectangles(batch: Any, height: Any, width: Any, share: Any, seed: Any) -> dict[str, Any]:
    """Random rectangles with these shares of an image, of an aspect ratio from 1/3 to 3, as `(batch,)` edges."""
    u = random.uniform((3, *batch), dtype="float32", seed=seed)
    ratio = kops.exp((2.0 * u[0] - 1.0) * 1.0986)
    tall = kops.minimum(kops.round(kops.sqrt(share * height * width * ratio)), height)
    wide = kops.minimum(kops.round(kops.sqrt(share * height * width / ratio)), width)
    top = kops.floor(u[1] * (height - tall + 1.0))
    left = kops.floor(u[2] * (width - wide + 1.0))
    return {"top": top, "left": left, "bottom": top + tall, "right": left + wide}


def inside_rectangles(images: Any, edges: dict[str, Any], layer: Any) -> Any:
    """Which pixels lie inside of the rectangles, in a shape that meets the images."""
    ones = kops.ones_like(images[..., :1] if layer.channel_axis == -1 else images[..., :1, :, :], dtype="float32")
    y = kops.cumsum(ones, axis=layer.height_axis) - 1.0
    x = kops.cumsum(ones, axis=layer.width_axis) - 1.0
    top, left, bottom, right = (layer._per_image(edges[k], images) for k in ("top", "left", "bottom", "right"))
    rows = kops.logical_and(y >= top, y < bottom)
    return kops.logical_and(rows, kops.logical_and(x >= left, x < right))
