"""RMSNormalization and UnitNormalization: scaling by a length, without a mean."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layer import Layer
from klayers.layers.layer_normalization import HALF, checked_axes, sizes_of
from klayers.layers.settings import config_of
from kspec import public


@public("keras.layers.RMSNormalization")
class RMSNormalization(Layer):
    """`x / sqrt(mean(x ** 2) + epsilon) * scale`.

    Args:
        axis: the axis or axes over which the mean is taken; `scale` has their sizes.
        epsilon: added to the mean of squares.

    Source: Zhang and Sennrich, "Root mean square layer normalization", 2019.
    """

    def __init__(self, axis: Any = -1, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = checked_axes(axis)
        self.epsilon = epsilon

    def build(self, input_shape: Any) -> None:
        shape = sizes_of(self.axis, input_shape, "RMSNormalization")
        self.scale = self.add_weight(name="scale", shape=shape, initializer="ones", autocast=False)

    def call(self, x: Any) -> Any:
        dtype = self.compute_dtype
        x = kops.cast(x, "float32") if dtype in HALF else x  # sums of squares of halves overflow
        axis = tuple(self.axis) if isinstance(self.axis, list) else self.axis
        y = kops.rms_normalization(x, self.scale, axis=axis, epsilon=self.epsilon)
        return kops.cast(y, dtype) if dtype in HALF else y

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "axis", "epsilon")}


@public("keras.layers.UnitNormalization")
class UnitNormalization(Layer):
    """Scales vectors to length one; vectors of zeros stay.

    Args:
        axis: the axis or axes along which a vector lies.

    Example:
        >>> UnitNormalization()(np.array([[3.0, 4.0]]))
        [[0.6, 0.8]]
    """

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = checked_axes(axis)
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        return unit(inputs, tuple(self.axis) if isinstance(self.axis, list) else self.axis)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}


def unit(x: Any, axis: Any) -> Any:
    """`x` divided by its length along axes; zeros stay."""
    square = kops.sum(kops.square(x), axis=axis, keepdims=True)
    # What half precision still tells from zero; elsewhere far below any length that matters.
    tiny = 1e-7 if kops.standardize_dtype(x.dtype) == "float16" else 1e-24
    return kops.multiply(x, kops.rsqrt(kops.maximum(square, tiny)))
