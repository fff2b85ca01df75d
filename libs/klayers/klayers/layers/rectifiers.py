"""ReLU, LeakyReLU, ELU, PReLU."""

from __future__ import annotations

import math
from typing import Any

import kops
from klayers import activations
from klayers.input_spec import InputSpec
from klayers.layer import Layer
from klayers.layers.settings import config_of, store
from kspec import public


def _not_negative(value: Any, name: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise ValueError(f"{name} must be a number that is not negative, not {value!r}.")
    return value


@public("keras.layers.ReLU")
class ReLU(Layer):
    """Rectified linear unit as a layer; see `keras.activations.relu`.

    Args:
        max_value: largest result; None is no bound.
        negative_slope: slope below `threshold`.
        threshold: the result is the input from here on.
    """

    def __init__(
        self, max_value: float | None = None, negative_slope: float = 0.0, threshold: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.max_value = None if max_value is None else _not_negative(max_value, "max_value")
        self.negative_slope = _not_negative(negative_slope, "negative_slope")
        self.threshold = _not_negative(threshold, "threshold")
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "max_value", "negative_slope", "threshold")}


@public("keras.layers.LeakyReLU")
class LeakyReLU(Layer):
    """`x` for positive `x`, else `negative_slope * x`.

    Args:
        negative_slope: the slope; older code calls it `alpha`.

    Source: Maas et al., "Rectifier nonlinearities improve neural network acoustic models", 2013.
    """

    def __init__(self, negative_slope: float = 0.3, **kwargs: Any) -> None:
        negative_slope = kwargs.pop("alpha", negative_slope)
        super().__init__(**kwargs)
        self.negative_slope = _not_negative(negative_slope, "negative_slope")
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        return activations.leaky_relu(inputs, self.negative_slope)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "negative_slope": self.negative_slope}


@public("keras.layers.ELU")
class ELU(Layer):
    """`x` for positive `x`, else `alpha * (exp(x) - 1)`.

    Args:
        alpha: what the result tends to, negated, for very negative `x`.

    Source: Clevert et al., "Fast and accurate deep network learning by exponential linear units", 2016.
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        return activations.elu(inputs, self.alpha)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        return {"name": config.pop("name"), "alpha": self.alpha, **config}


@public("keras.layers.PReLU")
class PReLU(Layer):
    """`x` for positive `x`, else `alpha * x` with a learned `alpha` for each feature.

    Args:
        alpha_initializer, alpha_regularizer, alpha_constraint: of the slopes.
        shared_axes: axes along which one slope is used; `[1, 2]` for one slope per channel of an image.

    Source: He et al., "Delving deep into rectifiers", 2015.
    """

    def __init__(
        self,
        alpha_initializer: Any = "Zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        store(
            self,
            alpha_initializer=alpha_initializer,
            alpha_regularizer=alpha_regularizer,
            alpha_constraint=alpha_constraint,
        )
        if shared_axes is not None and not isinstance(shared_axes, (list, tuple)):
            shared_axes = [shared_axes]
        self.shared_axes = None if shared_axes is None else list(shared_axes)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        shape = list(input_shape[1:])
        for axis in self.shared_axes or ():
            shape[axis - 1] = 1
        if None in shape:
            raise ValueError(
                f"PReLU learns a slope for each position, so it needs to know all sizes; the input shape is "
                f"{tuple(input_shape)}. Name the axes of unknown size in shared_axes."
            )
        self.alpha = self.add_weight(
            name="alpha",
            shape=tuple(shape),
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        axes = {axis: size for axis, size in enumerate(input_shape) if axis and size and shape[axis - 1] != 1}
        self.input_spec = InputSpec(ndim=len(input_shape), axes=axes)

    def call(self, inputs: Any) -> Any:
        below = kops.multiply(kops.relu(kops.negative(inputs)), self.alpha)
        return kops.subtract(kops.relu(inputs), below)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **config_of(self, "alpha_initializer", "alpha_regularizer", "alpha_constraint", "shared_axes"),
        }
