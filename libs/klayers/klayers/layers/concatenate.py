"""Concatenate."""

from __future__ import annotations

import functools
from typing import Any

import kops
from klayers.layer import Layer
from kops.ops.manipulation import joined_shape
from kspec import public


@public("keras.layers.Concatenate")
class Concatenate(Layer):
    """A list of tensors one after the other along an axis.

    Args:
        axis: the axis, not that of the batch; all other sizes must be equal.

    Example:
        >>> Concatenate()([np.ones((2, 3)), np.ones((2, 4))]).shape
        (2, 7)
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.supports_masking = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        if not isinstance(input_shape, list) or not all(isinstance(s, tuple) for s in input_shape):
            raise ValueError(f"Concatenate takes a list of tensors, but the input shape is {input_shape}.")
        try:
            return joined_shape(input_shape, self.axis)
        except ValueError as error:
            raise ValueError(
                f"Concatenate {self.name!r} along axis {self.axis} does not take inputs of shapes "
                f"{', '.join(map(str, input_shape))}: {error}"
            ) from None

    def build(self, input_shape: Any) -> None:
        self.compute_output_shape(input_shape)

    def call(self, inputs: Any) -> Any:
        return kops.concatenate(inputs, axis=self.axis)

    def compute_output_spec(self, inputs: Any) -> Any:
        self.compute_output_shape([tuple(x.shape) for x in inputs])
        return self._infer_by_call((inputs,), {})

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Masks one after the other along the axis of steps, else what any input keeps.

        An input without a mask keeps all.
        """
        if mask is None:
            return None
        if not isinstance(mask, (list, tuple)) or len(mask) != len(inputs):
            raise ValueError(f"Concatenate takes a list of {len(inputs)} masks, not {mask!r}.")
        if all(m is None for m in mask):
            return None
        ndim = len(inputs[0].shape)
        axis = self.axis % ndim
        steps = next(len(m.shape) for m in mask if m is not None)
        masks = [
            kops.cast(kops.ones_like(x[(..., *(0,) * (ndim - steps))]), "bool") if m is None else m
            for x, m in zip(inputs, mask)
        ]
        if axis < steps:
            return kops.concatenate(masks, axis=axis)
        return functools.reduce(kops.logical_or, masks)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}


@public("keras.layers.concatenate")
def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """`Concatenate(axis, **kwargs)(inputs)`."""
    return Concatenate(axis=axis, **kwargs)(inputs)
