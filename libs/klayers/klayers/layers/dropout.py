"""Dropout and SpatialDropout1D/2D/3D."""

from __future__ import annotations

from typing import Any

import kops
from klayers.input_spec import InputSpec
from klayers.layers.settings import config_of
from klayers.layers.shape_layer import ShapeLayer
from kops import random
from kops.config import standardize_data_format
from kspec import public


def check_rate(rate: Any, top: float = 1) -> Any:
    """A share of elements."""
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 <= rate <= top:
        raise ValueError(f"rate must be a number from 0 to {top}, not {rate!r}.")
    return rate


class RandomLayer(ShapeLayer):
    """A layer that changes its input by chance in training, and not at all otherwise."""

    def __init__(self, seed: Any, active: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seed = seed
        if active:
            self.seed_generator = random.SeedGenerator(seed)
        self._active = active
        self.supports_masking = True

    def _change(self, inputs: Any) -> Any:
        raise NotImplementedError

    def call(self, inputs: Any, training: bool = False) -> Any:
        return self._change(inputs) if training and self._active else inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return tuple(input_shape)

    def compute_output_spec(self, inputs: Any, training: bool = False) -> Any:
        return super().compute_output_spec(inputs)


@public("keras.layers.Dropout")
class Dropout(RandomLayer):
    """Sets a share of the elements to zero in training, and scales the others by `1 / (1 - rate)`.

    Args:
        rate: the share, from 0 to 1.
        noise_shape: shape of the random choice; where it has size 1, all elements along the axis share their
            fate. None in it is the input's size.
        seed: an integer, or None to draw one.

    Example:
        >>> Dropout(0.5, noise_shape=(None, 1, None))  # the same channels at every step

    Source: Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", 2014.
    """

    def __init__(self, rate: float, noise_shape: Any = None, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(seed, check_rate(rate) > 0, **kwargs)
        self.rate = rate
        if noise_shape is not None:
            if not isinstance(noise_shape, (tuple, list)):
                raise ValueError(f"noise_shape must be a tuple of sizes, not {noise_shape!r}.")
            noise_shape = tuple(noise_shape)
            if not all(d is None or (isinstance(d, int) and d > 0) for d in noise_shape):
                raise ValueError(f"noise_shape must hold positive integers and None, not {noise_shape}.")
        self.noise_shape = noise_shape

    def _noise_shape(self, inputs: Any) -> Any:
        if self.noise_shape is None:
            return None
        if len(self.noise_shape) != len(inputs.shape):
            raise ValueError(
                f"noise_shape {self.noise_shape} has not as many axes as the input of shape {tuple(inputs.shape)}."
            )
        sizes = kops.shape(inputs)
        return tuple(sizes[i] if d is None else d for i, d in enumerate(self.noise_shape))

    def _change(self, inputs: Any) -> Any:
        return random.dropout(inputs, self.rate, noise_shape=self._noise_shape(inputs), seed=self.seed_generator)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "rate", "seed", "noise_shape")}


class SpatialDropout(Dropout):
    """Dropout of whole channels of inputs with `rank` spatial axes."""

    rank = 0
    data_format = "channels_last"

    def __init__(
        self, rate: float, seed: Any = None, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(rate, seed=seed, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _noise_shape(self, inputs: Any) -> Any:
        sizes = kops.shape(inputs)
        ones = (1,) * self.rank
        return (sizes[0], sizes[1], *ones) if self.data_format == "channels_first" else (sizes[0], *ones, sizes[-1])

    def get_config(self) -> dict[str, Any]:
        return {**config_of(self, "rate", "seed", "name"), "dtype": self.dtype_policy.name}


@public("keras.layers.SpatialDropout1D")
class SpatialDropout1D(SpatialDropout):
    """Dropout of whole channels at all steps.

    Args:
        rate: the share of channels, from 0 to 1.
        seed: an integer, or None to draw one.
        name, dtype: as of any layer.

    Input shape `(batch, steps, channels)`.

    Source: Tompson et al., "Efficient object localization using convolutional networks", 2015.
    """

    rank = 1

    def __init__(self, rate: float, seed: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(rate, seed, name, dtype)


class _Spatial(SpatialDropout):
    def __init__(
        self, rate: float, data_format: str | None = None, seed: Any = None, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(rate, seed, name, dtype)
        self.data_format = standardize_data_format(data_format)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "data_format": self.data_format}


@public("keras.layers.SpatialDropout2D")
class SpatialDropout2D(_Spatial):
    """Dropout of whole channels of images.

    Args:
        rate: the share of channels, from 0 to 1.
        data_format: "channels_last" (default) or "channels_first".
        seed: an integer, or None to draw one.
        name, dtype: as of any layer.

    Input shape `(batch, height, width, channels)`, or with channels first.

    Source: Tompson et al., "Efficient object localization using convolutional networks", 2015.
    """

    rank = 2


@public("keras.layers.SpatialDropout3D")
class SpatialDropout3D(_Spatial):
    """Dropout of whole channels of volumes. See `SpatialDropout2D`.

    Input shape `(batch, dim1, dim2, dim3, channels)`, or with channels first.
    """

    rank = 3
