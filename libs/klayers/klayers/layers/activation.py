"""Activation and Softmax."""

from __future__ import annotations

from typing import Any

import kops
from klayers import activations
from klayers.layer import Layer
from kops.keras_tensor import KerasTensor
from kspec import public


@public("keras.layers.Activation")
class Activation(Layer):
    """An activation function as a layer.

    Args:
        activation: name or function; None changes nothing.

    Example:
        >>> Activation("relu")(np.array([-1.0, 2.0]))
        [0., 2.]
    """

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        return self.activation(inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return self.compute_output_spec(KerasTensor(input_shape, dtype=self.compute_dtype)).shape

    def compute_output_spec(self, inputs: Any) -> Any:
        # An activation may be any function, with a dtype and (glu) a shape of its own.
        return self._infer_by_call((inputs,), {})

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "activation": activations.serialize(self.activation)}


@public("keras.layers.Softmax")
class Softmax(Layer):
    """`softmax`, with positions left out that a mask excludes.

    Args:
        axis: the axis or axes over which the outputs sum to one.

    Call arguments:
        inputs: tensor.
        mask: booleans that broadcast to the inputs; False gets probability zero. With nothing kept, all
            outputs are zero.
    """

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self._axes = tuple(axis) if isinstance(axis, (list, tuple)) else axis
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        if mask is None:
            return activations.softmax(inputs, self._axes)
        # Far enough below everything else that its exponential vanishes, near enough not to overflow.
        low = -3e4 if kops.standardize_dtype(inputs.dtype) == "float16" else -1e9
        kept = kops.cast(mask, inputs.dtype)
        left_out = kops.multiply(kops.subtract(1.0, kept), low)
        return kops.multiply(activations.softmax(kops.add(inputs, left_out), self._axes), kept)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}
