"""RandomBrightness, RandomContrast, RandomInvert, RandomPosterization and Solarization."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.color_layer import ColorLayer, FreeTransformation
from klayers.layers.settings import config_of
from kspec import public


class _FactorLayer(ColorLayer):
    _uses_factor = True

    def _draw(self, batch: tuple[Any, ...], seed: Any) -> Any:
        return self._uniform(batch, self.factor, seed)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "factor")}


@public("keras.layers.RandomBrightness")
class RandomBrightness(_FactorLayer):
    """Adds a random number to all pixels of an image, in training only.

    Args:
        factor: the largest change as a share of the range of values, either way; or (lower, upper).
        value_range: the lowest and the highest value of a pixel.
        seed: an integer, or None to draw one.

    Input: images `(batch, height, width, channels)` or one without the batch; or a dict, see
    `keras.layers.RandomFlip`. Output: the same shape, floats within the range.
    """

    def __init__(self, factor: Any, value_range: Any = (0, 255), seed: Any = None, **kwargs: Any) -> None:
        super().__init__(value_range, seed, factor=factor, **kwargs)

    def _changed(self, images: Any, transformation: Any) -> Any:
        low, high = self.value_range
        return images + self._each(transformation * float(high - low), images)


@public("keras.layers.RandomContrast")
class RandomContrast(_FactorLayer):
    """Moves pixels away from the mean of their image and channel or towards it, in training only.

    Args:
        factor: distances from the mean are multiplied with a number from `1 - lower` to `1 + upper`; a
            single number n is (0, n).
        value_range, seed: see `RandomBrightness`.
    """

    _factor_bounds = (0, 1)

    def __init__(self, factor: Any, value_range: Any = (0, 255), seed: Any = None, **kwargs: Any) -> None:
        super().__init__(value_range, seed, factor=factor, **kwargs)

    def _draw(self, batch: tuple[Any, ...], seed: Any) -> Any:
        return self._uniform(batch, (1.0 - self.factor[0], 1.0 + self.factor[1]), seed)

    def _changed(self, images: Any, transformation: Any) -> Any:
        mean = kops.mean(images, axis=(self.height_axis, self.width_axis), keepdims=True)
        return mean + (images - mean) * self._each(transformation, images)


@public("keras.layers.RandomInvert")
class RandomInvert(_FactorLayer):
    """Makes a negative of an image, in training only.

    Args:
        factor: the probability of it, or (lower, upper), between which it is drawn; a number is (0, number).
        value_range, seed: see `RandomBrightness`.
        data_format: "channels_last" or "channels_first", default as configured.
    """

    _factor_bounds = (0, 1)

    def __init__(
        self, factor: Any = 1.0, value_range: Any = (0, 255), seed: Any = None, data_format: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(value_range, seed, factor=factor, data_format=data_format, **kwargs)

    def _draw(self, batch: tuple[Any, ...], seed: Any) -> Any:
        return self._chosen(batch, self.factor, seed)

    def _changed(self, images: Any, transformation: Any) -> Any:
        low, high = self.value_range
        return kops.where(self._per_image(transformation, images), float(low + high) - images, images)


@public("keras.layers.RandomPosterization")
class RandomPosterization(FreeTransformation, _FactorLayer):
    """Keeps only the highest bits of each pixel, in training only.

    Args:
        factor: how many bits of 8 are kept, or (lower, upper), between which it is drawn; a number n is (1, n).
        value_range, seed: see `RandomBrightness`.
        data_format: "channels_last" or "channels_first", default as configured.
    """

    _factor_bounds = (1, 8)

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(value_range, seed, factor=factor, data_format=data_format, **kwargs)

    def _draw(self, batch: tuple[Any, ...], seed: Any) -> Any:
        low, high = self.factor
        bits = kops.floor(self._uniform(batch, (low, high + 1), seed))
        return kops.minimum(bits, float(high))

    def _changed(self, images: Any, transformation: Any) -> Any:
        low, high = (float(v) for v in self.value_range)
        step = self._each(2.0 ** (8.0 - transformation), images)
        whole = (images - low) * (255.0 / (high - low))
        return kops.floor(whole / step) * step * ((high - low) / 255.0) + low


@public("keras.layers.Solarization")
class Solarization(ColorLayer):
    """Adds to all pixels and then inverts those above a threshold, in training only.

    Args:
        addition_factor: what is added to all pixels, as a share of the range of values; or
            (lower, upper), between which it is drawn.
        threshold_factor: how far the threshold lies below the highest value, as a share of the range; likewise.
        value_range, seed: see `RandomBrightness`.
    """

    _factor_bounds = (0, 1)

    def __init__(
        self,
        addition_factor: Any = 0.0,
        threshold_factor: Any = 0.0,
        value_range: Any = (0, 255),
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, seed, **kwargs)
        self.addition_factor = self._range(addition_factor, "addition_factor")
        self.threshold_factor = self._range(threshold_factor, "threshold_factor")

    def _draw(self, batch: tuple[Any, ...], seed: Any) -> Any:
        low, high = (float(v) for v in self.value_range)
        added = self._uniform(batch, self.addition_factor, seed) * (high - low)
        threshold = high - self._uniform(batch, self.threshold_factor, seed) * (high - low)
        return {"additions": added, "thresholds": threshold}

    def _changed(self, images: Any, transformation: Any) -> Any:
        low, high = (float(v) for v in self.value_range)
        threshold = self._each(transformation["thresholds"], images)
        x = kops.clip(images + self._each(transformation["additions"], images), low, high)
        return kops.where(x < threshold, x, low + high - x)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "addition_factor", "threshold_factor")}
