"""RandomRotation."""

from __future__ import annotations

import math
from typing import Any

import kops
from klayers.layers.geometric_layer import GeometricLayer
from klayers.layers.settings import config_of
from kops import random
from kspec import public


@public("keras.layers.RandomRotation")
class RandomRotation(GeometricLayer):
    """Turns each image about its centre by a random angle, in training only.

    Args:
        factor: the largest turn as a share of a full one, either way; or (lower, upper), positive being
            counter-clockwise.
        fill_mode: what is seen outside of the image: "constant", "reflect", "wrap" or "nearest".
        interpolation: "bilinear" or "nearest".
        seed: an integer, or None to draw one.
        fill_value: for "constant".
        data_format: "channels_last" or "channels_first", default as configured.

    Input: images `(batch, height, width, channels)` or one without the batch; or a dict, see
    `keras.layers.RandomFlip`. Output: the same shape, floats.

    Example:
        >>> RandomRotation(0.1)  # at most 36 degrees
    """

    _uses_factor = True

    def __init__(
        self,
        factor: Any,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: Any = None,
        fill_value: float = 0.0,
        data_format: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, data_format, factor=factor, **kwargs)

    def _matrix(self, batch: tuple[Any, ...], height: Any, width: Any, seed: Any) -> tuple[Any, ...]:
        low, high = (2.0 * math.pi * f for f in self.factor)
        angle = random.uniform(batch, low, high, dtype="float32", seed=seed)
        return rotation(kops.cos(angle), kops.sin(angle), height, width)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "factor", "fill_mode", "fill_value", "interpolation", "seed")}


def rotation(cos: Any, sin: Any, height: Any, width: Any) -> tuple[Any, ...]:
    """The matrix that turns an image counter-clockwise about its centre."""
    x, y = (width - 1.0) / 2.0, (height - 1.0) / 2.0
    return cos, -sin, x - cos * x + sin * y, sin, cos, y - sin * x - cos * y
