"""GroupNormalization."""

from __future__ import annotations

from typing import Any

import kops
from klayers.input_spec import InputSpec
from klayers.layer import Layer
from klayers.layers.layer_normalization import HALF
from klayers.layers.settings import config_of, store
from kspec import public


@public("keras.layers.GroupNormalization")
class GroupNormalization(Layer):
    """Brings every group of channels of a sample to mean zero and variance one, then scales and shifts
    channels.

    Args:
        groups: number of groups, a divisor of the number of channels; 1 normalizes over all channels, -1
            makes every channel a group (instance normalization).
        axis: the axis of channels.
        epsilon: added to the variance.
        center, scale: whether there is a `beta`, a `gamma`.
        beta_initializer, gamma_initializer, beta_regularizer, gamma_regularizer, beta_constraint,
        gamma_constraint:
            of the weights.

    Source: Wu and He, "Group normalization", 2018.
    """

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not isinstance(groups, int) or (groups < 1 and groups != -1):
            raise ValueError(f"groups must be a positive integer, or -1 for one per channel, not {groups!r}.")
        self.groups = groups
        self.axis = axis
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        store(
            self,
            beta_initializer=beta_initializer,
            gamma_initializer=gamma_initializer,
            beta_regularizer=beta_regularizer,
            gamma_regularizer=gamma_regularizer,
            beta_constraint=beta_constraint,
            gamma_constraint=gamma_constraint,
        )
        self.supports_masking = True
        self.gamma: Any = None
        self.beta: Any = None

    def build(self, input_shape: Any) -> None:
        ndim = len(input_shape)
        if not -ndim <= self.axis < ndim or self.axis % ndim == 0:
            raise ValueError(
                f"GroupNormalization takes an axis of channels behind the batch, not axis {self.axis} of an input "
                f"of shape {tuple(input_shape)}."
            )
        channels = input_shape[self.axis]
        if channels is None:
            raise ValueError(
                f"GroupNormalization needs to know the size of axis {self.axis}; the input shape is "
                f"{tuple(input_shape)}."
            )
        if self.groups == -1:
            self.groups = channels
        if channels % self.groups:
            raise ValueError(f"{channels} channels cannot be divided into {self.groups} groups of equal size.")
        if self.scale:
            self.gamma = self._add("gamma", channels)
        if self.center:
            self.beta = self._add("beta", channels)
        self.input_spec = InputSpec(ndim=ndim, axes={self.axis % ndim: channels})

    def _add(self, name: str, size: int) -> Any:
        return self.add_weight(
            name=name,
            shape=(size,),
            initializer=getattr(self, f"{name}_initializer"),
            regularizer=getattr(self, f"{name}_regularizer"),
            constraint=getattr(self, f"{name}_constraint"),
            autocast=False,
        )

    def call(self, inputs: Any) -> Any:
        dtype = self.compute_dtype
        x = kops.cast(inputs, "float32") if dtype in HALF else inputs  # sums of halves overflow
        sizes = kops.shape(inputs)
        ndim = len(sizes)
        axis = self.axis % ndim
        channels = inputs.shape[axis]
        split = (*sizes[:axis], self.groups, channels // self.groups, *sizes[axis + 1 :])
        x = kops.reshape(x, split)
        reduced = tuple(i for i in range(1, ndim + 1) if i != axis)
        mean, variance = kops.moments(x, axes=reduced, keepdims=True)
        y = (x - mean) * kops.rsqrt(variance + self.epsilon)
        y = kops.reshape(y, sizes)
        along = tuple(channels if i == axis else 1 for i in range(ndim))
        if self.gamma is not None:
            y = y * kops.reshape(self.gamma, along)
        if self.beta is not None:
            y = y + kops.reshape(self.beta, along)
        return kops.cast(y, dtype) if dtype in HALF else y

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **config_of(
                self,
                "groups",
                "axis",
                "epsilon",
                "center",
                "scale",
                "beta_initializer",
                "gamma_initializer",
                "beta_regularizer",
                "gamma_regularizer",
                "beta_constraint",
                "gamma_constraint",
            ),
        }
