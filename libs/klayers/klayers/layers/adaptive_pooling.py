"""AdaptiveAveragePooling1D/2D/3D and AdaptiveMaxPooling1D/2D/3D."""

from __future__ import annotations

from typing import Any

import kops
from klayers.input_spec import InputSpec
from klayers.layers.settings import config_of
from klayers.layers.shape_layer import ShapeLayer
from kops import windows
from kops.config import standardize_data_format
from kspec import public


class AdaptivePooling(ShapeLayer):
    """Pooling to a given size over `rank` spatial axes.

    Along an axis of `n` positions, output `i` of `m` covers the inputs from `floor(i * n / m)` to
    `ceil((i + 1) * n / m)`.

    Args:
        output_size: one size for all spatial axes, or one each.
        data_format: "channels_last" (default) or "channels_first".
    """

    rank = 0
    _op = ""

    def __init__(self, output_size: Any, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(output_size, (int, tuple, list)):
            raise TypeError(f"output_size must be an integer or {self.rank} of them, not {output_size!r}.")
        self.output_size = windows.each(output_size, self.rank, "output_size")
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        return getattr(kops, self._op)(inputs, self.output_size, self.data_format)

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self.data_format == "channels_first":
            return (*input_shape[:2], *self.output_size)
        return (input_shape[0], *self.output_size, input_shape[-1])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "output_size", "data_format")}


class _Average(AdaptivePooling):
    _op = "adaptive_average_pool"


class _Max(AdaptivePooling):
    _op = "adaptive_max_pool"


@public("keras.layers.AdaptiveAveragePooling1D")
class AdaptiveAveragePooling1D(_Average):
    """Means over one axis, as many as `output_size`. See `AdaptiveAveragePooling2D`."""

    rank = 1


@public("keras.layers.AdaptiveAveragePooling2D")
class AdaptiveAveragePooling2D(_Average):
    """Means over windows of height and width, so that the output has a given size whatever the input's.

    Args:
        output_size: height and width, or one integer for both.
        data_format: "channels_last" (default) or "channels_first".

    Input shape `(batch, height, width, channels)`, output shape `(batch, *output_size, channels)`, or with channels
    first.

    Example:
        >>> AdaptiveAveragePooling2D(3)(np.ones((1, 7, 8, 4))).shape
        (1, 3, 3, 4)
    """

    rank = 2


@public("keras.layers.AdaptiveAveragePooling3D")
class AdaptiveAveragePooling3D(_Average):
    """Means over three axes. See `AdaptiveAveragePooling2D`."""

    rank = 3


@public("keras.layers.AdaptiveMaxPooling1D")
class AdaptiveMaxPooling1D(_Max):
    """Largest values over one axis, as many as `output_size`. See `AdaptiveAveragePooling2D`."""

    rank = 1


@public("keras.layers.AdaptiveMaxPooling2D")
class AdaptiveMaxPooling2D(_Max):
    """Largest values over windows of height and width. See `AdaptiveAveragePooling2D`."""

    rank = 2


@public("keras.layers.AdaptiveMaxPooling3D")
class AdaptiveMaxPooling3D(_Max):
    """Largest values over three axes. See `AdaptiveAveragePooling2D`."""

    rank = 3
