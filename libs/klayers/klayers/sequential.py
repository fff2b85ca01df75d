"""`Sequential`: a model that is a list of layers, each taking the one before's output."""

from __future__ import annotations

from typing import Any

from klayers import masking
from klayers.call_arguments import as_tensor
from klayers.input_layer import InputLayer
from klayers.layer import Layer
from klayers.model import Model
from kops import tree
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.scopes import current_path, name_scope
from kspec import public


@public("keras.Sequential", "keras.models.Sequential")
class Sequential(Model):
    """A plain stack of layers.

    Args:
        layers: layers in order; more come with `add`. The first may be an `Input`; without one the model is built
            when it is first called.
        trainable, name: as for layers.

    Example:
        >>> model = Sequential([Input((3,)), Dense(4, activation="relu"), Dense(1)])
        >>> model.output_shape
        (None, 1)
    """

    def __init__(self, layers: Any = None, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(trainable=trainable, name=name)
        self._layers: list[Any] = []
        self._names_seen: set[str] = set()  # a name that is not in it needs no search
        self._tail: Any = None  # symbolic output of the last layer, once the input is known
        for layer in [] if layers is None else layers:
            self.add(layer)

    def add(self, layer: Any, rebuild: bool = True) -> None:
        """Append a layer.

        Raises:
            ValueError: for something that is not a layer, a second input, or a name that is taken.
        """
        if isinstance(layer, KerasTensor):
            history = getattr(layer, "_keras_history", None)
            if history is None or not isinstance(history.operation, InputLayer):
                raise ValueError("A symbolic tensor added to a Sequential must come from keras.Input.")
            layer = history.operation
        if not isinstance(layer, Layer):
            if not callable(layer):
                raise ValueError(f"Sequential takes layers; got {layer!r} of type {type(layer).__name__}.")
            from kspec import resolve

            layer = resolve("keras.layers.Lambda")(layer)
        if isinstance(layer, InputLayer):
            if self._layers:
                raise ValueError(
                    f"Sequential {self.name!r} has an input or layers already; an Input can only come first."
                )
            self._layers.append(layer)
            self._start(layer)
            return
        if layer.name in self._names_seen and any(other.name == layer.name for other in self._layers):
            raise ValueError(
                f"Sequential {self.name!r} has a layer named {layer.name!r} already; give the new one another name."
            )
        if not self._layers and getattr(layer, "batch_input_shape", None) is not None:
            self.add(InputLayer(batch_shape=layer.batch_input_shape))
        self._layers.append(layer)
        self._names_seen.add(layer.name)
        if self._tail is not None:
            self._extend(layer)

    def _start(self, input_layer: InputLayer) -> None:
        self._tail = input_layer.output

    def _extend(self, layer: Any) -> None:
        with name_scope(self.name, caller=self):
            self._path = current_path()
            try:
                tail = layer(self._tail)
            except BaseException:
                self._layers.pop()
                raise
        if len(tree.flatten(tail)) != 1:
            self._layers.pop()
            raise ValueError(
                f"Layer {layer.name!r} has {len(tree.flatten(tail))} outputs, but the layers of a Sequential must have "
                "one. Use the functional API."
            )
        self._tail = tail
        self._after_build(self._layers[0].batch_shape)

    def pop(self, rebuild: bool = True) -> Any:
        """Remove and return the last layer."""
        if not self._layers:
            raise ValueError("There is no layer to pop.")
        layer = self._layers.pop()
        if self._tail is not None:
            if not self._layers:
                self._tail = None
                self.built = False
            else:
                self._tail = self._layers[-1].output if len(self._layers[-1]._inbound_nodes) == 1 else self._retrace()
        return layer

    def _retrace(self) -> Any:
        x = self._layers[0].output
        for layer in self._layers[1:]:
            x = layer(x)
        return x

    @property
    def layers(self) -> list[Any]:
        """The layers, without the input."""
        layers = self._layers
        return layers[1:] if layers and isinstance(layers[0], InputLayer) else layers[:]

    @layers.setter
    def layers(self, _: Any) -> None:
        raise AttributeError("`layers` of a Sequential changes by add() and pop(); choose another name for yours.")

    def _sublayers(self) -> list[Any]:
        return self._layers

    def _native_members(self) -> Any:
        return ((layer.name, layer) for layer in self._layers)

    def build(self, input_shape: Any = None) -> None:
        """Make the variables for inputs of `input_shape` (with the batch)."""
        if self._tail is not None or input_shape is None:
            if self._tail is None:
                raise ValueError(
                    f"Sequential {self.name!r} does not know its input shape: give it to build(), add an Input first, "
                    "or call the model on data."
                )
            return
        if not self._layers:
            raise ValueError(f"Sequential {self.name!r} has no layers; add() some before it is built.")
        shape = tuple(input_shape)
        if any(not (d is None or isinstance(d, int)) for d in shape):
            raise ValueError(f"Sequential takes one input, so one shape; got {input_shape}.")
        entry = InputLayer(batch_shape=shape, dtype=self._layers[0].compute_dtype)
        x = entry.output
        for layer in self._layers:
            x = layer(x)
        self._layers.insert(0, entry)
        self._tail = x

    def call(self, inputs: Any, training: Any = None, mask: Any = None, **kwargs: Any) -> Any:
        x = self._standardize(inputs)
        if mask is not None:
            masking.set_mask(x, mask)
        for layer in self.layers:
            x = layer(x, **{k: v for k, v in kwargs.items() if k in layer.call_signature_parameters})
        return x

    def _standardize(self, x: Any) -> Any:
        if isinstance(x, KerasTensor) or not self._layers or not isinstance(self._layers[0], InputLayer):
            return x
        return as_tensor(x, self._layers[0].dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        for layer in self.layers:
            input_shape = layer.compute_output_shape(input_shape)
        return input_shape

    def compute_output_spec(self, inputs: Any, training: Any = None, mask: Any = None, **kwargs: Any) -> Any:
        if not self.built:
            self._build_symbolically({"inputs": inputs}, (inputs,), {})
        return self._infer_by_call((inputs,), {})

    def _build_by_arguments(self, arguments: dict[str, Any]) -> None:
        x = arguments["inputs"]
        self.build(tuple(engine().shape(x)) if engine().is_tensor(x) else tuple(x.shape))

    def _known(self, what: str) -> Any:
        if self._tail is None:
            raise AttributeError(
                f"Sequential {self.name!r} has no {what} before its input shape is known: add an Input first, "
                "or call the model on data."
            )
        return self._tail

    @property
    def inputs(self) -> list[KerasTensor]:
        self._known("inputs")
        return [self._layers[0].output]

    @property
    def outputs(self) -> list[KerasTensor]:
        return [self._known("outputs")]

    @property
    def input(self) -> Any:
        return self.inputs[0]

    @property
    def output(self) -> Any:
        return self.outputs[0]

    @property
    def input_shape(self) -> Any:
        self._known("input_shape")
        return self._layers[0].batch_shape

    @property
    def output_shape(self) -> Any:
        return self._known("output_shape").shape

    @property
    def input_dtype(self) -> str:
        if self._layers and isinstance(self._layers[0], InputLayer):
            return self._layers[0].dtype
        return super().input_dtype

    def _saveable_children(self) -> Any:
        from klayers.layer_saving import own_names
        from ksave import attribute_children

        yield "layers", self.layers
        yield from attribute_children(self, skip=own_names() | {"_layers", "layers", "_tail"})

    def get_config(self) -> dict[str, Any]:
        import ksave

        config = {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": ksave.serialize_keras_object(self._dtype_policy),
            "layers": [ksave.serialize_keras_object(layer) for layer in self._layers],
        }
        if self._tail is not None:
            config["build_input_shape"] = list(self._layers[0].batch_shape)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        import ksave

        model = cls(name=config.get("name"))
        if config.get("dtype") is not None:
            model.dtype_policy = ksave.deserialize_keras_object(config["dtype"], custom_objects=custom_objects)
        for record in config["layers"]:
            model.add(ksave.deserialize_keras_object(record, custom_objects=custom_objects))
        shape = config.get("build_input_shape") or config.get("batch_input_shape")
        if shape and not model.built and model._layers:
            model.build(tuple(shape))
        if config.get("trainable") is False:
            model._trainable = False  # each layer knows its own
        return model
