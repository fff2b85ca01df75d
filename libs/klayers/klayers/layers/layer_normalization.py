"""LayerNormalization."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layer import Layer
from klayers.layers.settings import config_of, store
from kspec import public

HALF = ("float16", "bfloat16")


def checked_axes(axis: Any) -> Any:
    """One axis, or a list of them."""
    if isinstance(axis, (tuple, list)) and axis and all(isinstance(a, int) for a in axis):
        return list(axis)
    if not isinstance(axis, int):
        raise TypeError(f"axis must be an integer or several, not {axis!r}.")
    return axis


def sizes_of(axis: Any, input_shape: Any, name: str) -> tuple[int, ...]:
    """The sizes of the axes, all known and each axis named once."""
    axes = axis if isinstance(axis, list) else [axis]
    ndim = len(input_shape)
    if any(not -ndim <= a < ndim for a in axes) or len({a % ndim for a in axes}) != len(axes):
        raise ValueError(f"{name} over axis {axis} does not fit an input of shape {tuple(input_shape)}.")
    sizes = tuple(input_shape[a] for a in axes)
    if None in sizes:
        raise ValueError(f"{name} needs to know the sizes of axis {axis}; the input shape is {tuple(input_shape)}.")
    return sizes


@public("keras.layers.LayerNormalization")
class LayerNormalization(Layer):
    """Brings every sample to mean zero and variance one over some axes, then scales by `gamma` and shifts by
    `beta`.

    Args:
        axis: the axis or axes over which mean and variance are taken; `gamma` and `beta` have their sizes.
        epsilon: added to the variance.
        center, scale: whether there is a `beta`, a `gamma`.
        beta_initializer, gamma_initializer, beta_regularizer, gamma_regularizer, beta_constraint,
        gamma_constraint:
            of the weights.

    Example:
        >>> LayerNormalization()(np.array([[1.0, 3.0]]))
        [[-1., 1.]]

    Source: Ba et al., "Layer normalization", 2016.
    """

    def __init__(
        self,
        axis: Any = -1,
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
        # Of earlier versions, and still in files: divide by the deviation without subtracting the mean.
        self.rms_scaling = bool(kwargs.pop("rms_scaling", False))
        super().__init__(**kwargs)
        self.axis = checked_axes(axis)
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
        shape = sizes_of(self.axis, input_shape, "LayerNormalization")
        if self.scale or self.rms_scaling:
            self.gamma = self._add("gamma", shape)
        if self.center and not self.rms_scaling:
            self.beta = self._add("beta", shape)

    def _add(self, name: str, shape: tuple[int, ...]) -> Any:
        return self.add_weight(
            name=name,
            shape=shape,
            initializer=getattr(self, f"{name}_initializer"),
            regularizer=getattr(self, f"{name}_regularizer"),
            constraint=getattr(self, f"{name}_constraint"),
            autocast=False,
        )

    def call(self, inputs: Any) -> Any:
        dtype = self.compute_dtype
        x = kops.cast(inputs, "float32") if dtype in HALF else inputs  # sums of halves overflow
        if self.rms_scaling:
            y = x * kops.rsqrt(kops.var(x, axis=_tuple(self.axis), keepdims=True) + self.epsilon)
            y = y * self._spread(self.gamma, len(x.shape))
        else:
            y = kops.layer_normalization(x, self.gamma, self.beta, axis=_tuple(self.axis), epsilon=self.epsilon)
        return kops.cast(y, dtype) if dtype in HALF else y

    def _spread(self, weight: Any, ndim: int) -> Any:
        axes = self.axis if isinstance(self.axis, list) else [self.axis]
        shape = [1] * ndim
        for axis, size in zip(axes, weight.shape):
            shape[axis] = size
        return kops.reshape(weight, tuple(shape))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **config_of(
                self,
                "axis",
                "epsilon",
                "center",
                "scale",
                "rms_scaling",
                "beta_initializer",
                "gamma_initializer",
                "beta_regularizer",
                "gamma_regularizer",
                "beta_constraint",
                "gamma_constraint",
            ),
        }


def _tuple(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis
