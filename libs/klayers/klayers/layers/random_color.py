"""RandomHue, RandomSaturation, RandomColorDegeneration, RandomGrayscale and RandomColorJitter."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.color_layer import ColorLayer, FreeTransformation
from klayers.layers.random_tone import RandomBrightness, RandomContrast, _FactorLayer
from klayers.layers.settings import config_of
from kops import random
from kops.ops.image import hsv_to_rgb, rgb_to_hsv
from kspec import public


class _HSVLayer(FreeTransformation, _FactorLayer):
    """Changes hue or saturation."""

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(value_range, seed, factor=factor, data_format=data_format, **kwargs)

    def _hsv(self, parts: list[Any], amount: Any) -> list[Any]:
        raise NotImplementedError

    def _changed(self, images: Any, transformation: Any) -> Any:
        low, high = (float(v) for v in self.value_range)
        hsv = rgb_to_hsv(kops.clip((images - low) / (high - low), 0.0, 1.0), data_format=self.data_format)
        parts = self._hsv(kops.split(hsv, 3, axis=self.channel_axis), self._each(transformation, images))
        rgb = hsv_to_rgb(kops.concatenate(parts, axis=self.channel_axis), data_format=self.data_format)
        return rgb * (high - low) + low


@public("keras.layers.RandomHue")
class RandomHue(_HSVLayer):
    """Turns the colours of an image about the colour circle, in training only.

    Args:
        factor: the largest turn, 1 being half a circle either way; or (lower, upper).
        value_range, seed: see `RandomBrightness`.
        data_format: "channels_last" or "channels_first", default as configured.

    Input: images with three channels, red, green and blue.
    """

    _factor_bounds = (0, 1)

    def _draw(self, batch: tuple[Any, ...], seed: Any) -> Any:
        amount = self._uniform(batch, self.factor, seed) * 0.5
        side = random.uniform(batch, dtype="float32", seed=seed)
        return kops.where(side < 0.5, -amount, amount)

    def _hsv(self, parts: list[Any], amount: Any) -> list[Any]:
        h, s, v = parts
        return [kops.mod(h + amount, 1.0), s, v]


@public("keras.layers.RandomSaturation")
class RandomSaturation(_HSVLayer):
    """Makes the colours of an image paler or stronger, in training only.

    Args:
        factor: 0 is grey, 0.5 no change and 1 the strongest colours; or (lower, upper), between which it is drawn.
        value_range, data_format, seed: see `RandomHue`.
    """

    def _draw(self, batch: tuple[Any, ...], seed: Any) -> Any:
        f = kops.clip(self._uniform(batch, self.factor, seed), 0.0, 1.0 - 1e-4)
        return f / (1.0 - f)

    def _hsv(self, parts: list[Any], amount: Any) -> list[Any]:
        h, s, v = parts
        return [h, kops.clip(s * amount, 0.0, 1.0), v]


@public("keras.layers.RandomColorDegeneration")
class RandomColorDegeneration(FreeTransformation, _FactorLayer):
    """Blends an image with its grey form, in training only.

    Args:
        factor: 0 is no change, and 1 grey; a number n is (-n, n), or (lower, upper).
        value_range, data_format, seed: see `RandomHue`.
    """

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(value_range, seed, factor=factor, data_format=data_format, **kwargs)

    def _changed(self, images: Any, transformation: Any) -> Any:
        amount = self._each(transformation, images)
        return images + (self._gray(images) - images) * amount


@public("keras.layers.RandomGrayscale")
class RandomGrayscale(ColorLayer):
    """Makes an image grey with some probability, in training only; it keeps its channels.

    Args:
        factor: the probability.
        data_format: "channels_last" or "channels_first", default as configured.
        seed: an integer, or None to draw one.
    """

    def __init__(self, factor: float = 0.5, data_format: Any = None, seed: Any = None, **kwargs: Any) -> None:
        super().__init__((0, 255), seed, data_format=data_format, **kwargs)
        if not 0 <= factor <= 1:
            raise ValueError(f"factor must be a probability, not {factor!r}.")
        self.factor: Any = factor  # a probability, where its relatives have a range

    def get_random_transformation(self, images: Any, training: bool = True, seed: Any = None) -> Any:
        return super().get_random_transformation(images, training, seed)

    def _draw(self, batch: tuple[Any, ...], seed: Any) -> Any:
        return random.uniform(batch, dtype="float32", seed=seed) < self.factor

    def _changed(self, images: Any, transformation: Any) -> Any:
        return kops.where(self._per_image(transformation, images), self._gray(images), images)

    def _clipped(self, images: Any) -> Any:
        return images

    # Colour is all that changes, so these need no transformation.

    def transform_labels(self, labels: Any, transformations: Any = None, **kwargs: Any) -> Any:
        return labels

    def transform_bounding_boxes(self, bounding_boxes: Any, **kwargs: Any) -> Any:
        return bounding_boxes

    def transform_segmentation_masks(self, segmentation_masks: Any, transformations: Any = None, **kwargs: Any) -> Any:
        return segmentation_masks

    def compute_output_spec(self, inputs: Any, **kwargs: Any) -> Any:
        return super().compute_output_spec(inputs, **kwargs)

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "factor": self.factor}
        del config["value_range"], config["seed"]
        return config


@public("keras.layers.RandomColorJitter")
class RandomColorJitter(ColorLayer):
    """`RandomBrightness`, `RandomContrast`, `RandomSaturation` and `RandomHue`, one after the other, in training only.

    Args:
        value_range: the lowest and the highest value of a pixel.
        brightness_factor, contrast_factor, saturation_factor, hue_factor: see those layers; None leaves one out.
        seed: an integer, or None to draw one.
        data_format: "channels_last" or "channels_first", default as configured.
    """

    def __init__(
        self,
        value_range: Any = (0, 255),
        brightness_factor: Any = None,
        contrast_factor: Any = None,
        saturation_factor: Any = None,
        hue_factor: Any = None,
        seed: Any = None,
        data_format: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, seed, data_format=data_format, **kwargs)
        self.brightness_factor = brightness_factor
        self.contrast_factor = contrast_factor
        self.saturation_factor = saturation_factor
        self.hue_factor = hue_factor
        common = {"value_range": value_range, "data_format": self.data_format, "dtype": self.dtype_policy}
        classes = (
            (RandomBrightness, brightness_factor),
            (RandomContrast, contrast_factor),
            (RandomSaturation, saturation_factor),
            (RandomHue, hue_factor),
        )
        # Hidden from files and weights: they draw from the generator of this layer.
        self._steps = _Hidden([cls(factor, **common) for cls, factor in classes if factor is not None])

    def _draw(self, batch: tuple[Any, ...], seed: Any) -> Any:
        return [layer._draw(batch, seed) for layer in self._steps.layers]

    def _changed(self, images: Any, transformation: Any) -> Any:
        for layer, own in zip(self._steps.layers, transformation):
            images = layer._clipped(layer._changed(images, own))
        return images

    def get_config(self) -> dict[str, Any]:
        names = ("brightness_factor", "contrast_factor", "saturation_factor", "hue_factor")
        return {**super().get_config(), **config_of(self, *names)}


class _Hidden:
    """Layers that are somebody's tools and not parts of a model."""

    def __init__(self, layers: list[Any]) -> None:
        self.layers = layers
