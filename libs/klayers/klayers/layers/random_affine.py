"""RandomTranslation, RandomZoom and RandomShear."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.geometric_layer import GeometricLayer
from klayers.layers.settings import config_of
from kops import random
from kspec import public


def _both_ways(layer: Any, factor: Any, name: str, bounds: Any) -> tuple[float, float]:
    if isinstance(factor, (tuple, list)):
        return layer._range(factor, name, bounds)
    low, high = layer._range(abs(factor) if isinstance(factor, (int, float)) else factor, name, bounds)
    return -high, high


@public("keras.layers.RandomTranslation")
class RandomTranslation(GeometricLayer):
    """Moves each image by a random distance, in training only.

    Args:
        height_factor: the largest move up or down as a share of the height; or (lower, upper), negative being up.
        width_factor: likewise to the left (negative) and right.
        fill_mode, interpolation, seed, fill_value, data_format: see `RandomRotation`.
    """

    def __init__(
        self,
        height_factor: Any,
        width_factor: Any,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: Any = None,
        fill_value: float = 0.0,
        data_format: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, data_format, **kwargs)
        self.height_factor = height_factor
        self.width_factor = width_factor
        self._down = _both_ways(self, height_factor, "height_factor", (-1, 1))
        self._right = _both_ways(self, width_factor, "width_factor", (-1, 1))

    def _matrix(self, batch: tuple[Any, ...], height: Any, width: Any, seed: Any) -> tuple[Any, ...]:
        down = random.uniform(batch, *self._down, dtype="float32", seed=seed) * height
        right = random.uniform(batch, *self._right, dtype="float32", seed=seed) * width
        return 1.0, 0.0, -right, 0.0, 1.0, -down

    def get_config(self) -> dict[str, Any]:
        names = ("height_factor", "width_factor", "fill_mode", "interpolation", "seed", "fill_value")
        return {**super().get_config(), **config_of(self, *names)}


@public("keras.layers.RandomZoom")
class RandomZoom(GeometricLayer):
    """Zooms into each image or out of it, in training only.

    Args:
        height_factor: the largest change of the height that is shown, as a share; or (lower, upper), positive showing
            more of it (out), negative less (in).
        width_factor: likewise; None keeps the aspect ratio.
        fill_mode, interpolation, seed, fill_value, data_format: see `RandomRotation`.
    """

    def __init__(
        self,
        height_factor: Any,
        width_factor: Any = None,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: Any = None,
        fill_value: float = 0.0,
        data_format: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, data_format, **kwargs)
        self.height_factor = height_factor
        self.width_factor = width_factor
        self._tall = _both_ways(self, height_factor, "height_factor", (-1, float("inf")))
        self._wide = None
        if width_factor is not None:
            self._wide = _both_ways(self, width_factor, "width_factor", (-1, float("inf")))

    def _matrix(self, batch: tuple[Any, ...], height: Any, width: Any, seed: Any) -> tuple[Any, ...]:
        tall = 1.0 + random.uniform(batch, *self._tall, dtype="float32", seed=seed)
        wide = tall
        if self._wide is not None:
            wide = 1.0 + random.uniform(batch, *self._wide, dtype="float32", seed=seed)
        x, y = (width - 1.0) / 2.0, (height - 1.0) / 2.0
        return wide, 0.0, x - wide * x, 0.0, tall, y - tall * y

    def get_config(self) -> dict[str, Any]:
        names = ("height_factor", "width_factor", "fill_mode", "interpolation", "seed", "fill_value")
        return {**super().get_config(), **config_of(self, *names)}


@public("keras.layers.RandomShear")
class RandomShear(GeometricLayer):
    """Slants each image, in training only.

    Args:
        x_factor: how far the lines of an image are moved sideways, as a share of their distance from the top; the
            largest, either way; or (lower, upper) between -1 and 1, also either way.
        y_factor: likewise for columns.
        interpolation, fill_mode, fill_value, data_format, seed: see `RandomRotation`.
    """

    def __init__(
        self,
        x_factor: Any = 0.0,
        y_factor: Any = 0.0,
        interpolation: str = "bilinear",
        fill_mode: str = "reflect",
        fill_value: float = 0.0,
        data_format: Any = None,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, data_format, **kwargs)
        self.x_factor = self._shares(x_factor, "x_factor")
        self.y_factor = self._shares(y_factor, "y_factor")

    def _matrix(self, batch: tuple[Any, ...], height: Any, width: Any, seed: Any) -> tuple[Any, ...]:
        a, b = (self._slant(batch, f, seed) for f in (self.x_factor, self.y_factor))
        return 1.0, a, 0.0, b, 1.0, 0.0

    def _shares(self, factor: Any, name: str) -> tuple[float, float]:
        if isinstance(factor, (int, float)) and factor < 0:
            raise ValueError(f"{name} must lie between 0 and 1, or be a pair between -1 and 1, not {factor!r}.")
        return self._range(factor, name, (-1, 1))

    def _slant(self, batch: tuple[Any, ...], factor: Any, seed: Any) -> Any:
        low, high = (float(f) for f in factor)
        u = random.uniform((2, *batch), dtype="float32", seed=seed)
        amount = low + (high - low) * u[0]
        return kops.where(u[1] < 0.5, -amount, amount)

    def get_config(self) -> dict[str, Any]:
        names = ("x_factor", "y_factor", "fill_mode", "interpolation", "seed", "fill_value")
        return {**super().get_config(), **config_of(self, *names)}
