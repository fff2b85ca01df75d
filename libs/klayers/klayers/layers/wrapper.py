"""Wrapper: the base of layers that change what another layer does."""

from __future__ import annotations

from typing import Any

import ksave
from klayers.layer import Layer
from kspec import public


@public("keras.layers.Wrapper")
class Wrapper(Layer):
    """Holds another layer in `self.layer`; subclasses say in `call` what is done with it.

    Args:
        layer: the wrapped layer.
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise TypeError(f"{type(self).__name__} wraps a layer, not {type(layer).__name__}: {layer!r}.")
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        if not self.layer.built:
            self.layer.build(input_shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "layer": ksave.serialize_keras_object(self.layer)}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        layer = ksave.deserialize_keras_object(config.pop("layer"), custom_objects=custom_objects)
        return cls(layer, **config)
