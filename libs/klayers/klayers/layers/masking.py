"""Masking: steps whose features all have one value are left out by the layers that follow."""

from __future__ import annotations

from typing import Any

import kops
from klayers import masking
from klayers.layer import Layer
from kspec import public


@public("keras.layers.Masking")
class Masking(Layer):
    """Masks the steps all of whose features equal `mask_value`, and sets them to zero.

    Args:
        mask_value: the value.

    Input and output shape `(batch, steps, features)`; the mask has shape `(batch, steps)`, True where a step
    counts.
    """

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value
        self.supports_masking = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return kops.any(kops.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs: Any) -> Any:
        kept = kops.any(kops.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        outputs = kops.multiply(inputs, kops.cast(kept, inputs.dtype))
        masking.set_mask(outputs, kops.squeeze(kept, axis=-1))  # found already: compute_mask need not run
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "mask_value": self.mask_value}
