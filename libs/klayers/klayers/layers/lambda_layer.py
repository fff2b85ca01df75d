"""Lambda: a function as a layer."""

from __future__ import annotations

import inspect
from typing import Any

import ksave
from klayers.layer import Layer
from kops import tree
from kops.keras_tensor import KerasTensor
from kspec import public


@public("keras.layers.Lambda")
class Lambda(Layer):
    """Calls a function on its input.

    A named function that is registered with `keras.saving.register_keras_serializable` is saved by its name.
    A Python lambda is saved as code, and such a file loads only with `safe_mode=False`.

    Args:
        function: of the inputs, and of `mask` and `training` if it has such parameters.
        output_shape: shape without the batch, or function of the input shape, where it cannot be found by
            running `function` symbolically.
        mask: the output's mask, or function of inputs and mask.
        arguments: further keyword arguments of `function`.
    """

    def __init__(
        self, function: Any, output_shape: Any = None, mask: Any = None, arguments: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if not callable(function):
            raise ValueError(f"Lambda takes a function, not {function!r}.")
        self.function = function
        self.arguments = arguments or {}
        self._output_shape = output_shape
        self.mask = mask
        if mask is not None:
            self.supports_masking = True
        try:
            self._accepts = frozenset(inspect.signature(function).parameters)
        except (TypeError, ValueError):  # builtins without a signature
            self._accepts = frozenset()

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        extra = dict(self.arguments)
        if mask is not None and "mask" in self._accepts:
            extra["mask"] = mask
        if training is not None and "training" in self._accepts:
            extra["training"] = training
        return self.function(inputs, **extra)

    def compute_output_spec(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        if self._output_shape is None:
            return self._infer_by_call((inputs,), {"mask": mask, "training": training})
        shape = self.compute_output_shape(tree.map_structure(lambda x: x.shape, inputs))
        return tree.map_shape_structure(lambda s: KerasTensor(s, self.compute_dtype), shape)

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self._output_shape is None:
            return super().compute_output_shape(input_shape)
        if callable(self._output_shape):
            return self._output_shape(input_shape)
        first = input_shape
        while isinstance(first[0], (list, tuple)):
            first = first[0]
        return tree.map_shape_structure(lambda s: (first[0], *s), self._output_shape)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def get_config(self) -> dict[str, Any]:
        def function(f: Any) -> Any:
            return ksave.serialize_keras_object(f) if callable(f) else f

        config = {**super().get_config(), "function": function(self.function)}
        if self._output_shape is not None:
            config["output_shape"] = function(self._output_shape)
        if self.mask is not None:
            config["mask"] = function(self.mask)
        config["arguments"] = ksave.serialize_keras_object(self.arguments)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None, safe_mode: Any = None) -> Any:
        config = dict(config)
        extra = {} if safe_mode is None else {"safe_mode": safe_mode}
        for key in ("function", "output_shape", "mask"):
            value = config.get(key)
            if isinstance(value, dict) and "class_name" in value:
                config[key] = ksave.deserialize_keras_object(value, custom_objects=custom_objects, **extra)
        if isinstance(config.get("output_shape"), list):
            config["output_shape"] = tuple(config["output_shape"])
        if isinstance(config["function"], str):
            raise TypeError(
                f"The function {config['function']!r} of a Lambda layer is not known. Pass "
                f"custom_objects={{{config['function']!r}: ...}}, or register it."
            )
        return cls(**config)
