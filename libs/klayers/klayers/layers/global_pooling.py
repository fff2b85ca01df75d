"""GlobalAveragePooling1D/2D/3D and GlobalMaxPooling1D/2D/3D."""

from __future__ import annotations

from typing import Any

import kops
from klayers.input_spec import InputSpec
from klayers.layer import Layer
from klayers.layers.settings import config_of
from kops.config import standardize_data_format
from kspec import public


class GlobalPooling(Layer):
    """A reduction over all of `rank` spatial axes.

    Args:
        data_format: "channels_last" (default) or "channels_first".
        keepdims: whether the spatial axes stay, with size one.
    """

    rank = 0

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.keepdims = keepdims
        self.input_spec = InputSpec(ndim=self.rank + 2)
        first = 2 if self.data_format == "channels_first" else 1
        self._axes = tuple(range(first, first + self.rank))

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self.keepdims:
            return tuple(1 if axis in self._axes else size for axis, size in enumerate(input_shape))
        return tuple(size for axis, size in enumerate(input_shape) if axis not in self._axes)

    def compute_output_spec(self, inputs: Any, mask: Any = None) -> Any:
        return self._infer_by_call((inputs,), {} if mask is None else {"mask": mask})

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "data_format", "keepdims")}


class GlobalAverage(GlobalPooling):
    def call(self, inputs: Any) -> Any:
        return kops.mean(inputs, axis=self._axes, keepdims=self.keepdims)


class GlobalMax(GlobalPooling):
    def call(self, inputs: Any) -> Any:
        return kops.max(inputs, axis=self._axes, keepdims=self.keepdims)


@public("keras.layers.GlobalAveragePooling1D", "keras.layers.GlobalAvgPool1D")
class GlobalAveragePooling1D(GlobalAverage):
    """The mean over all steps, or over those that the mask keeps.

    Args:
        data_format: "channels_last" (default) or "channels_first".
        keepdims: whether the axis of steps stays, with size one.

    Input shape `(batch, steps, channels)`, mask shape `(batch, steps)`, output shape `(batch, channels)`. A
    row whose mask keeps nothing gives nan.
    """

    rank = 1

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(data_format, keepdims, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        if mask is None:
            return super().call(inputs)
        weight = kops.expand_dims(kops.cast(mask, inputs.dtype), 2 if self._axes == (1,) else 1)
        total = kops.sum(kops.multiply(inputs, weight), axis=self._axes, keepdims=self.keepdims)
        return kops.divide(total, kops.sum(weight, axis=self._axes, keepdims=self.keepdims))

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None


@public("keras.layers.GlobalAveragePooling2D", "keras.layers.GlobalAvgPool2D")
class GlobalAveragePooling2D(GlobalAverage):
    """The mean over height and width.

    Args:
        data_format: "channels_last" (default) or "channels_first".
        keepdims: whether the two axes stay, with size one.

    Input shape `(batch, height, width, channels)`, output shape `(batch, channels)`.

    Example:
        >>> GlobalAveragePooling2D()(np.ones((2, 7, 7, 3))).shape
        (2, 3)
    """

    rank = 2


@public("keras.layers.GlobalAveragePooling3D", "keras.layers.GlobalAvgPool3D")
class GlobalAveragePooling3D(GlobalAverage):
    """The mean over three spatial axes. See `GlobalAveragePooling2D`."""

    rank = 3


@public("keras.layers.GlobalMaxPooling1D", "keras.layers.GlobalMaxPool1D")
class GlobalMaxPooling1D(GlobalMax):
    """The largest value over all steps. See `GlobalMaxPooling2D`."""

    rank = 1


@public("keras.layers.GlobalMaxPooling2D", "keras.layers.GlobalMaxPool2D")
class GlobalMaxPooling2D(GlobalMax):
    """The largest value over height and width.

    Args:
        data_format: "channels_last" (default) or "channels_first".
        keepdims: whether the two axes stay, with size one.

    Input shape `(batch, height, width, channels)`, output shape `(batch, channels)`.
    """

    rank = 2


@public("keras.layers.GlobalMaxPooling3D", "keras.layers.GlobalMaxPool3D")
class GlobalMaxPooling3D(GlobalMax):
    """The largest value over three spatial axes. See `GlobalMaxPooling2D`."""

    rank = 3
