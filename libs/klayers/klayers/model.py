"""`Model`: a layer that can be saved, loaded, summarized and run on data. ktrain's `Model` adds training to it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from klayers.layer import Layer
from kops import tree
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kspec import find_plugin, public


def looks_functional(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a model's constructor got symbolic inputs and outputs."""
    if len(args) >= 2 or (len(args) == 1 and "outputs" in kwargs):
        given: list[Any] = [*args[:2], kwargs.get("outputs")]
    elif "inputs" in kwargs and "outputs" in kwargs:
        given = [kwargs["inputs"], kwargs["outputs"]]
    else:
        return False
    return any(isinstance(x, KerasTensor) for x in tree.flatten(given))


@public("keras.Model", "keras.models.Model")
class Model(Layer):
    """Layers grouped into an object that can be saved, loaded, summarized and run on data.

    Three ways to make one: `Model(inputs, outputs)` from symbolic tensors, a list of layers (`Sequential`), or a
    subclass that makes its layers in `__init__` and uses them in `call`.

    Args:
        inputs, outputs: symbolic tensors, or structures of them (functional models only).
        trainable, dtype, name: as for layers.

    Example:
        >>> x = Input((3,))
        >>> model = Model(x, Dense(1)(x))
        >>> model.predict(np.zeros((2, 3))).shape
        (2, 1)
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if looks_functional(args, kwargs) and cls._is_plain():
            return super().__new__(cls._functional_class(), *args, **kwargs)
        return super().__new__(cls, *args, **kwargs)

    @classmethod
    def _is_plain(cls) -> bool:
        """Whether this is `Model` itself (here or in the library above) and not somebody's subclass."""
        return "_plain_model" in cls.__dict__

    _plain_model = True

    @classmethod
    def _functional_class(cls) -> type:
        from klayers.functional import Functional

        return Functional

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        functional: Any = type(self)._functional_class()
        if looks_functional(args, kwargs) and not isinstance(self, functional):
            # class Mine(Model): super().__init__(inputs, outputs): it is functional from now on.
            self.__class__ = _functional_variant(type(self), functional)
            functional.__init__(self, *args, **kwargs)
            return
        if args:
            raise TypeError(
                f"{type(self).__name__}({', '.join(type(a).__name__ for a in args)}): a model takes symbolic inputs "
                "and outputs (from keras.Input), or only keyword arguments when it is subclassed."
            )
        super().__init__(**kwargs)
        self._jitted: Any = None

    def call(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} has no call(). A subclassed model computes in call(self, inputs); "
            "a functional one is made with Model(inputs, outputs)."
        )

    @property
    def layers(self) -> list[Any]:
        """The layers directly below the model."""
        return self._flatten_layers(include_self=False, recursive=False)

    @layers.setter
    def layers(self, _: Any) -> None:
        raise AttributeError("`layers` is a view of the model's attributes; choose another name for yours.")

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """The layer of that name, or at that place in `layers`.

        Raises:
            ValueError: when there is none, or both or none of the arguments were given.
        """
        if (name is None) == (index is None):
            raise ValueError("Give either name or index.")
        layers = self.layers
        if index is not None:
            if index >= len(layers):
                raise ValueError(f"There is no layer {index}: the model has {len(layers)} layers.")
            return layers[index]
        for layer in layers:
            if layer.name == name:
                return layer
        raise ValueError(f"There is no layer named {name!r}; the model has {', '.join(l.name for l in layers)}.")

    # Running

    def predict(self, x: Any, batch_size: int | None = None, **kwargs: Any) -> Any:
        """The outputs for arrays of samples, in inference mode, as NumPy arrays.

        Args:
            x: array or structure of arrays whose first axis is the samples.
            batch_size: samples at a time; default 32.
        """
        if kwargs.pop("verbose", None) not in (None, 0, "auto") or kwargs:
            raise TypeError(
                f"This is klayers' inference model; predict() takes x and batch_size, not {', '.join(kwargs)}. "
                "Training models with callbacks and progress come with: pip install ktrain"
            )
        arrays = tree.map_structure(np.asarray, x)
        count = len(tree.flatten(arrays)[0])
        size = batch_size or 32
        parts = [
            self._predict_batch(tree.map_structure(lambda a, s=start: a[s : s + size], arrays))
            for start in range(0, max(count, 1), size)
        ]
        return tree.map_structure(lambda *xs: np.concatenate(xs, axis=0), *parts)

    def _predict_batch(self, batch: Any) -> Any:
        return tree.map_structure(engine().to_numpy, self(batch, training=False))

    # Saving

    def save(self, filepath: Any, overwrite: bool = True, zipped: Any = None, **kwargs: Any) -> None:
        """Write the whole model to a `.keras` (or legacy `.h5`) file; an interrupted save leaves the old file whole."""
        from ksave import save_model

        save_model(self, filepath, overwrite=overwrite, zipped=zipped, **kwargs)

    def save_weights(self, filepath: Any, overwrite: bool = True, max_shard_size: Any = None) -> None:
        """Write the weights to a `.weights.h5` file."""
        from ksave import save_weights

        save_weights(self, filepath, overwrite=overwrite, max_shard_size=max_shard_size)

    def load_weights(self, filepath: Any, skip_mismatch: bool = False, **kwargs: Any) -> None:
        """Read weights from a file of any of the known formats."""
        from ksave import load_weights

        load_weights(self, filepath, skip_mismatch=skip_mismatch, **kwargs)

    def to_json(self, **kwargs: Any) -> str:
        """The model's config as JSON; `model_from_json` makes an equal model with new weights."""
        from ksave import serialize_keras_object

        return json.dumps(serialize_keras_object(self), **kwargs)

    def export(
        self,
        filepath: Any,
        format: str = "tf_saved_model",
        verbose: Any = None,
        input_signature: Any = None,
        **kwargs: Any,
    ) -> None:
        """Write the model for another runtime: "tf_saved_model", "onnx", "openvino", "litert", "torch"."""
        find_plugin("export", format)().write(
            self, filepath, verbose=verbose, input_signature=input_signature, **kwargs
        )

    def quantize(self, mode: Any = None, config: Any = None, filters: Any = None, **kwargs: Any) -> None:
        """Hold and apply the kernels of the layers in fewer bits; needs kquant.

        Args:
            mode: "int8", "int4", "float8", "gptq" or "awq".
            config: a quantization config instead of a mode.
            filters: regular expression, list of them, or function of a layer: which layers to quantize.
        """
        find_plugin("quantization", "model")(self, mode=mode, config=config, filters=filters, **kwargs)
        self._jitted = None

    def get_quantization_layer_structure(self, mode: Any = None) -> Any:
        """Which layers block-wise quantization goes through; None leaves it to kquant."""
        return None

    def summary(
        self,
        line_length: int | None = None,
        positions: Any = None,
        print_fn: Any = None,
        expand_nested: bool = False,
        show_trainable: bool = False,
        layer_range: Any = None,
    ) -> None:
        """Print a table of the layers with output shapes and numbers of parameters."""
        from klayers.summary import print_summary

        print_summary(
            self,
            line_length=line_length,
            positions=positions,
            print_fn=print_fn,
            expand_nested=expand_nested,
            show_trainable=show_trainable,
            layer_range=layer_range,
        )

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        from klayers.functional import Functional, functional_from_config

        keys = ("name", "layers", "input_layers", "output_layers")
        if all(k in config for k in keys) and (cls._is_plain() or issubclass(cls, Functional)):
            target = cls._functional_class() if cls._is_plain() else cls
            return functional_from_config(target, config, custom_objects)
        return super().from_config(config)


_variants: dict[tuple[type, type], type] = {}


def _functional_variant(cls: type, functional: type) -> type:
    key = (cls, functional)
    if key not in _variants:
        _variants[key] = type(cls.__name__, (cls, functional), {"__module__": cls.__module__, "__doc__": cls.__doc__})
    return _variants[key]


@public("keras.models.model_from_json")
def model_from_json(json_string: str, custom_objects: Any = None) -> Any:
    """The model that `Model.to_json` described, with new weights."""
    from ksave import deserialize_keras_object

    return deserialize_keras_object(json.loads(json_string), custom_objects=custom_objects)
