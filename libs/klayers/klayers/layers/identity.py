"""Identity and ActivityRegularization."""

from __future__ import annotations

from typing import Any

from klayers.layer import Layer
from klayers.layers.settings import config_of
from klayers.regularizers import L1L2
from kops import tree
from kops.keras_tensor import KerasTensor
from kspec import public


@public("keras.layers.Identity")
class Identity(Layer):
    """The input, or structure of inputs, unchanged."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def compute_output_spec(self, inputs: Any) -> Any:
        return tree.map_structure(lambda x: KerasTensor(x.shape, dtype=x.dtype, sparse=x.sparse), inputs)


@public("keras.layers.ActivityRegularization")
class ActivityRegularization(Layer):
    """The input unchanged, with a penalty on it added to the loss.

    Args:
        l1, l2: strengths of the sum of absolute values and of the sum of squares.
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=L1L2(l1, l2), **kwargs)
        self.l1 = l1
        self.l2 = l2
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config.pop("activity_regularizer")  # it is made from l1 and l2
        return {**config, **config_of(self, "l1", "l2")}
