"""Rescaling: `inputs * scale + offset`."""

from __future__ import annotations

from typing import Any

import numpy as np

from klayers.layers.data_layer import DataLayer
from kops.ops.core import cast
from kspec import public


@public("keras.layers.Rescaling")
class Rescaling(DataLayer):
    """`inputs * scale + offset`, as in bringing pixels from 0..255 to 0..1 with `Rescaling(1 / 255)`.

    Args:
        scale, offset: numbers, or arrays that broadcast against the inputs (one value per channel).
    """

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale
        self.offset = offset
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        x = cast(inputs, self.compute_dtype)
        return x * self._constant(self.scale) + self._constant(self.offset)

    def _constant(self, value: Any) -> Any:
        if isinstance(value, (int, float)):
            return float(value)
        return cast(np.asarray(value), self.compute_dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        def plain(value: Any) -> Any:
            return value.tolist() if hasattr(value, "tolist") else value

        return {**super().get_config(), "scale": plain(self.scale), "offset": plain(self.offset)}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        return super().from_config(config)
