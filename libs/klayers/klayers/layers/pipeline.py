"""Pipeline: preprocessing layers as one."""

from __future__ import annotations

from typing import Any

import ksave
from klayers.layer import Layer
from kspec import public


@public("keras.layers.Pipeline")
class Pipeline(Layer):
    """Calls layers one after the other, as in a data pipeline.

    Args:
        layers: list of layers.
        name: of the layer.
    """

    def __init__(self, layers: Any, name: str | None = None) -> None:
        super().__init__(name=name)
        self._pipeline_layers = list(layers)

    @property
    def layers(self) -> list[Any]:
        """The layers, in order."""
        return list(self._pipeline_layers)

    def call(self, inputs: Any, training: bool = True, mask: Any = None) -> Any:
        for layer in self._pipeline_layers:
            signature = layer._call_signature
            options = {"training": training} if signature.takes_training else {}
            if signature.takes_mask and mask is not None:
                options["mask"] = mask
            inputs = layer(inputs, **options)
        return inputs

    def get_config(self) -> dict[str, Any]:
        return {"layers": [ksave.serialize_keras_object(x) for x in self._pipeline_layers], "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        config = dict(config)
        config["layers"] = [ksave.deserialize_keras_object(x) for x in config["layers"]]
        return cls(**config)
