"""UpSampling1D, UpSampling2D, UpSampling3D."""

from __future__ import annotations

from typing import Any

import kops
from klayers.input_spec import InputSpec
from klayers.layers.settings import choice, config_of, positive_int
from klayers.layers.shape_layer import ShapeLayer
from kops import windows
from kops.config import standardize_data_format
from kops.ops.image_resize import resize
from kspec import public

_INTERPOLATIONS = ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5")


class UpSampling(ShapeLayer):
    """Repeats positions along `rank` spatial axes."""

    rank = 0
    data_format = "channels_last"

    def _axes(self) -> range:
        first = 2 if self.data_format == "channels_first" else 1
        return range(first, first + self.rank)

    def _factors(self) -> tuple[int, ...]:
        raise NotImplementedError

    def call(self, inputs: Any) -> Any:
        for axis, factor in zip(self._axes(), self._factors()):
            if factor > 1:
                inputs = kops.repeat(inputs, factor, axis=axis)
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = list(input_shape)
        for axis, factor in zip(self._axes(), self._factors()):
            shape[axis] = None if shape[axis] is None else shape[axis] * factor
        return tuple(shape)


@public("keras.layers.UpSampling1D")
class UpSampling1D(UpSampling):
    """Every step `size` times.

    Args:
        size: how often.

    Input shape `(batch, steps, channels)`, output shape `(batch, steps * size, channels)`.
    """

    rank = 1

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(size, int):
            raise TypeError(f"size must be an integer, not {size!r}.")
        self.size = positive_int(size, "size")
        self.input_spec = InputSpec(ndim=3)

    def _factors(self) -> tuple[int, ...]:
        return (self.size,)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "size": self.size}


@public("keras.layers.UpSampling2D")
class UpSampling2D(UpSampling):
    """Makes images larger by whole factors.

    Args:
        size: factors of height and width, or one integer for both.
        data_format: "channels_last" (default) or "channels_first".
        interpolation: "nearest" (repeats pixels), "bilinear", "bicubic", "lanczos3" or "lanczos5".

    Input shape `(batch, height, width, channels)`, or with channels first.
    """

    rank = 2

    def __init__(
        self, size: Any = (2, 2), data_format: str | None = None, interpolation: str = "nearest", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.size = windows.each(size, 2, "size")
        self.data_format = standardize_data_format(data_format)
        self.interpolation = choice(interpolation, "interpolation", _INTERPOLATIONS)
        self.input_spec = InputSpec(ndim=4)

    def _factors(self) -> tuple[int, ...]:
        return self.size

    def call(self, inputs: Any) -> Any:
        if self.interpolation == "nearest":
            return super().call(inputs)
        sizes = kops.shape(inputs)
        target = tuple(sizes[axis] * factor for axis, factor in zip(self._axes(), self.size))
        return resize(inputs, target, interpolation=self.interpolation, data_format=self.data_format)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "size", "data_format", "interpolation")}


@public("keras.layers.UpSampling3D")
class UpSampling3D(UpSampling):
    """Repeats the positions of volumes.

    Args:
        size: factors of the three axes, or one integer for all.
        data_format: "channels_last" (default) or "channels_first".

    Input shape `(batch, dim1, dim2, dim3, channels)`, or with channels first.
    """

    rank = 3

    def __init__(self, size: Any = (2, 2, 2), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = windows.each(size, 3, "size")
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=5)

    def _factors(self) -> tuple[int, ...]:
        return self.size

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "size", "data_format")}
