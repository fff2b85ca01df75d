"""Initializers that keep the variance of activations (or gradients) the same from layer to layer."""

from __future__ import annotations

import math
from typing import Any

from klayers.initializers import draw
from klayers.initializers.base import to_native
from klayers.initializers.random_values import RandomInitializer
from kspec import public

MODES = ("fan_in", "fan_out", "fan_avg")
DISTRIBUTIONS = ("truncated_normal", "untruncated_normal", "uniform")
# The standard deviation of a standard normal distribution cut at -2 and 2.
_TRUNCATED_STDDEV = 0.87962566103423978


def compute_fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """Inputs and outputs of one unit of a kernel `(...window, inputs, outputs)`."""
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    window = math.prod(shape[:-2])
    return window * shape[-2], window * shape[-1]


@public("keras.initializers.VarianceScaling", "keras.initializers.variance_scaling")
class VarianceScaling(RandomInitializer):
    """Values of variance `scale / n`, where `n` counts the inputs or outputs of a unit.

    Args:
        scale: positive number.
        mode: what `n` is: "fan_in" (inputs), "fan_out" (outputs) or "fan_avg" (their mean).
        distribution: "truncated_normal" (also "normal"), "untruncated_normal" or "uniform".
        seed: an integer, a SeedGenerator, or None to draw one.
        input_axes, output_axes: axes of the kernel whose sizes multiply to its inputs and outputs. Given
            both, they replace the rule for kernels `(...window, inputs, outputs)`.

    Raises:
        ValueError: for a scale that is not positive, an unknown mode or distribution.

    Source: He et al., "Delving deep into rectifiers", 2015.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        input_axes: Any = None,
        output_axes: Any = None,
    ) -> None:
        super().__init__(seed)
        if not scale > 0:
            raise ValueError(f"scale must be positive, not {scale!r}.")
        if mode not in MODES:
            raise ValueError(f"mode must be one of {', '.join(MODES)}, not {mode!r}.")
        distribution = "truncated_normal" if distribution == "normal" else distribution
        if distribution not in DISTRIBUTIONS:
            raise ValueError(f"distribution must be one of {', '.join(DISTRIBUTIONS)}, not {distribution!r}.")
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.input_axes = input_axes
        self.output_axes = output_axes

    def _fans(self, shape: tuple[int, ...]) -> tuple[int, int]:
        if self.input_axes is None or self.output_axes is None:
            return compute_fans(shape)
        for axis in (*self.input_axes, *self.output_axes):
            if not -len(shape) <= axis < len(shape):
                raise ValueError(
                    f"input_axes={self.input_axes} and output_axes={self.output_axes} do not fit a kernel "
                    f"of shape {shape}."
                )
        return math.prod(shape[i] for i in self.input_axes), math.prod(shape[i] for i in self.output_axes)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        shape = draw.sizes(shape)
        fan_in, fan_out = self._fans(shape)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        stddev = math.sqrt(self.scale / max(1.0, n))
        if self.distribution == "truncated_normal":
            values = draw.truncated_normal(shape, self.seed)
            values *= values.dtype.type(stddev / _TRUNCATED_STDDEV)
        elif self.distribution == "untruncated_normal":
            values = draw.normal(shape, self.seed)
            values *= values.dtype.type(stddev)
        else:
            limit = math.sqrt(3.0) * stddev
            values = draw.uniform(shape, self.seed)
            values *= values.dtype.type(2 * limit)
            values -= values.dtype.type(limit)
        return to_native(values, dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "input_axes": self.input_axes,
            "output_axes": self.output_axes,
        }


class _Preset(VarianceScaling):
    """A `VarianceScaling` with a name of its own."""

    _scale, _mode, _distribution = 1.0, "fan_in", "truncated_normal"

    def __init__(self, seed: Any = None, input_axes: Any = None, output_axes: Any = None) -> None:
        super().__init__(self._scale, self._mode, self._distribution, seed, input_axes, output_axes)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        return {key: config[key] for key in ("seed", "input_axes", "output_axes")}


@public("keras.initializers.GlorotUniform", "keras.initializers.glorot_uniform")
class GlorotUniform(_Preset):
    """Uniform within `sqrt(6 / (fan_in + fan_out))`: the default of most layers, also called Xavier.

    Args:
        seed, input_axes, output_axes: as for `VarianceScaling`.

    Source: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks",
    2010.
    """

    _mode, _distribution = "fan_avg", "uniform"


@public("keras.initializers.GlorotNormal", "keras.initializers.glorot_normal")
class GlorotNormal(_Preset):
    """Truncated normal of standard deviation `sqrt(2 / (fan_in + fan_out))`.

    Args:
        seed, input_axes, output_axes: as for `VarianceScaling`.

    Source: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks",
    2010.
    """

    _mode = "fan_avg"


@public("keras.initializers.HeNormal", "keras.initializers.he_normal")
class HeNormal(_Preset):
    """Truncated normal of standard deviation `sqrt(2 / fan_in)`, for layers followed by ReLU.

    Args:
        seed, input_axes, output_axes: as for `VarianceScaling`.

    Source: He et al., "Delving deep into rectifiers", 2015.
    """

    _scale = 2.0


@public("keras.initializers.HeUniform", "keras.initializers.he_uniform")
class HeUniform(_Preset):
    """Uniform within `sqrt(6 / fan_in)`, for layers followed by ReLU.

    Args:
        seed, input_axes, output_axes: as for `VarianceScaling`.

    Source: He et al., "Delving deep into rectifiers", 2015.
    """

    _scale, _distribution = 2.0, "uniform"


@public("keras.initializers.LecunNormal", "keras.initializers.lecun_normal")
class LecunNormal(_Preset):
    """Truncated normal of standard deviation `sqrt(1 / fan_in)`, for layers followed by SELU.

    Args:
        seed, input_axes, output_axes: as for `VarianceScaling`.

    Source: LeCun et al., "Efficient backprop", 1998.
    """


@public("keras.initializers.LecunUniform", "keras.initializers.lecun_uniform")
class LecunUniform(_Preset):
    """Uniform within `sqrt(3 / fan_in)`.

    Args:
        seed, input_axes, output_axes: as for `VarianceScaling`.

    Source: LeCun et al., "Efficient backprop", 1998.
    """

    _distribution = "uniform"
