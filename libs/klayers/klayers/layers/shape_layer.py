"""`ShapeLayer`: what layers share that move elements about and leave values and dtype as they are."""

from __future__ import annotations

from typing import Any

from klayers.layer import Layer
from kops.keras_tensor import KerasTensor


class ShapeLayer(Layer):
    """A layer whose output has the dtype of its input; subclasses define `compute_output_shape`."""

    def compute_output_spec(self, inputs: Any) -> Any:
        return KerasTensor(self.compute_output_shape(inputs.shape), dtype=inputs.dtype)
