"""AutoContrast and Equalization."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.color_layer import ColorLayer, FreeTransformation
from klayers.layers.settings import config_of, positive_int
from kspec import public


@public("keras.layers.AutoContrast")
class AutoContrast(FreeTransformation, ColorLayer):
    """Stretches each channel of an image over the whole range of values, in inference as well.

    Args:
        value_range: the lowest and the highest value of a pixel.

    Input and output: see `RandomBrightness`.
    """

    _always = True

    def __init__(self, value_range: Any = (0, 255), **kwargs: Any) -> None:
        super().__init__(value_range, **kwargs)

    def _changed(self, images: Any, transformation: Any) -> Any:
        low, high = (float(v) for v in self.value_range)
        axes = (self.height_axis, self.width_axis)
        least, most = kops.min(images, axis=axes, keepdims=True), kops.max(images, axis=axes, keepdims=True)
        flat = most <= least
        span = kops.where(flat, kops.ones_like(most), most - least)
        return kops.where(flat, images, (images - least) * ((high - low) / span) + low)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["seed"]
        return config


@public("keras.layers.Equalization")
class Equalization(ColorLayer):
    """Spreads the values of each channel of an image such that all are about equally frequent, in inference as well.

    Args:
        value_range: the lowest and the highest value of a pixel.
        bins: how many values are told apart.
        data_format: "channels_last" or "channels_first", default as configured.

    Input and output: see `RandomBrightness`.
    """

    _always = True

    def __init__(self, value_range: Any = (0, 255), bins: int = 256, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(value_range, data_format=data_format, **kwargs)
        self.bins = positive_int(bins, "bins")

    def _changed(self, images: Any, transformation: Any) -> Any:
        low, high = (float(v) for v in self.value_range)
        top = self.bins - 1
        x = images if self._first else kops.moveaxis(images, -1, -3)
        size = kops.shape(x)
        levels = kops.clip(kops.round((x - low) * (top / (high - low))), 0.0, float(top))
        levels = kops.reshape(kops.cast(levels, "int32"), (-1, size[-2] * size[-1]))
        counts = kops.sum(kops.one_hot(levels, self.bins, dtype="float32"), axis=1)
        below = kops.cumsum(counts, axis=-1)
        total = below[:, -1:]
        first = kops.min(kops.where(counts > 0, below, total), axis=-1, keepdims=True)
        room = kops.maximum(total - first, 1.0)
        table = kops.clip(kops.round((below - first) * (top / room)), 0.0, float(top))
        # One value alone stays what it is.
        found = kops.where(total > first, kops.take_along_axis(table, levels, axis=1), kops.cast(levels, "float32"))
        y = kops.cast(kops.reshape(found, size), images.dtype) * ((high - low) / top) + low
        return y if self._first else kops.moveaxis(y, -3, -1)

    def compute_output_spec(self, inputs: Any, **kwargs: Any) -> Any:
        return super().compute_output_spec(inputs, **kwargs)

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), **config_of(self, "bins")}
        del config["seed"]
        return config
