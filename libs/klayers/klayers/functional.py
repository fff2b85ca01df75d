"""`Functional`: a model given by symbolic inputs and outputs."""

from __future__ import annotations

import functools
from typing import Any

from klayers import graph_config, masking
from klayers.call_arguments import as_tensor
from klayers.context import context
from klayers.graph_order import ordered_operations
from klayers.input_layer import Input, InputLayer
from klayers.input_spec import InputSpec
from klayers.layer import Layer
from klayers.model import Model
from kops import tree
from kops.function import Function
from kops.keras_tensor import KerasTensor
from kops.naming import auto_name
from kops.scopes import NoRecording


def _as_model(operation: Any, args: Any, kwargs: Any) -> Any:
    """A call in the graph, in the mode of the model.

    Files of Keras have the mode that was in force when the graph was made written into the calls of layers.
    """
    if kwargs.get("training") is not None:
        kwargs = {**kwargs, "training": context.training}
    return operation(*args, **kwargs)


class Functional(Model):
    """See `Model`; made by `Model(inputs, outputs)`.

    Args:
        inputs: symbolic tensor or structure of them.
        outputs: symbolic tensor or structure of them, made from `inputs`.
        name: optional.
    """

    def __init__(self, inputs: Any, outputs: Any, name: str | None = None, **kwargs: Any) -> None:
        trainable = kwargs.pop("trainable", None)
        if not kwargs.pop("_initialized", False):
            Model.__init__(self, name=name or auto_name("functional"), **kwargs)

        for x in tree.flatten(inputs):
            if not isinstance(x, KerasTensor):
                raise ValueError(f"The inputs of a functional model come from keras.Input; got {x!r}.")
        inputs, outputs = _start_at_input_layers(inputs, outputs)
        self._function = Function(inputs, outputs, name=self.name)
        self._operations = ordered_operations(self._function)
        self._layers = [op for op in self._operations if isinstance(op, Layer)]
        _check_names(self._operations)
        self._input_names = [x._keras_history.operation.name for x in self._function.inputs]
        self._optional = [getattr(x._keras_history.operation, "optional", False) for x in self._function.inputs]
        self.build(None)
        if trainable is not None:
            self._trainable = bool(trainable)  # of the model alone: each layer knows its own

    # The graph

    @property
    def layers(self) -> list[Any]:
        return self._layers[:]

    @layers.setter
    def layers(self, _: Any) -> None:
        raise AttributeError("`layers` of a functional model is given by its graph; choose another name for yours.")

    def _sublayers(self) -> list[Any]:
        return self._layers

    def _native_members(self) -> Any:
        return ((layer.name, layer) for layer in self._layers)

    @property
    def operations(self) -> list[Any]:
        """Layers and ops of the graph."""
        return self._operations[:]

    @property
    def inputs(self) -> list[KerasTensor]:
        return self._function.inputs

    @property
    def outputs(self) -> list[KerasTensor]:
        return self._function.outputs

    @property
    def input(self) -> Any:
        return self._function._inputs_struct

    @property
    def output(self) -> Any:
        return self._function._outputs_struct

    @property
    def input_names(self) -> list[str]:
        return self._input_names

    @property
    def output_names(self) -> list[str]:
        return [x._keras_history.operation.name for x in self.outputs]

    @property
    def input_shape(self) -> Any:
        return tree.map_structure(lambda x: x.shape, self.input)

    @property
    def output_shape(self) -> Any:
        return tree.map_structure(lambda x: x.shape, self.output)

    @property
    def input_spec(self) -> Any:
        if self._input_spec is not None:
            return self._input_spec
        specs = [
            InputSpec(shape=(None, *x.shape[1:]), allow_last_axis_squeeze=True, name=n, optional=o)
            for x, n, o in zip(self.inputs, self._input_names, self._optional)
        ]
        return specs[0] if isinstance(self.input, KerasTensor) else specs

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        self._input_spec = value

    def add_loss(self, loss: Any) -> None:
        if isinstance(loss, KerasTensor):
            raise ValueError("add_loss with a symbolic tensor is not supported: put the loss into a layer's call().")
        super().add_loss(loss)

    # Calling

    def build(self, input_shape: Any) -> None:
        """The graph is built when the model is made."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        flat = self._standardize(inputs)
        if mask is not None:
            for x, m in zip(flat, tree.flatten(mask)):
                masking.set_mask(x, m)
        run = _as_model if self._has_training_recorded and context.training is not None else None
        outputs = self._function.pack_outputs(self._function.run(flat, run))
        # As in Keras, `Model(x, [y])` computes an array, though its symbolic call gives a list.
        return outputs[0] if isinstance(outputs, (list, tuple)) and len(outputs) == 1 else outputs

    @functools.cached_property
    def _has_training_recorded(self) -> bool:
        return any(node.kwargs.get("training") is not None for node in self._function.nodes)

    def _standardize(self, inputs: Any) -> list[Any]:
        """The inputs in the graph's order, as tensors of its dtypes and ranks."""
        flat = self._in_order(inputs)
        result: list[Any] = []
        for x, spec, optional in zip(flat, self._function.inputs, self._optional):
            if x is None:
                if not optional:
                    raise ValueError(f"Input {spec.name!r} of model {self.name!r} is None but not optional.")
                result.append(None)
                continue
            if not isinstance(x, KerasTensor):
                x = as_tensor(x, spec.dtype)
            result.append(self._fit_rank(x, spec))
        return result

    def _in_order(self, inputs: Any) -> list[Any]:
        struct = self.input
        if isinstance(struct, KerasTensor):
            if isinstance(inputs, dict) and len(inputs) == 1:
                return list(inputs.values())
            if isinstance(inputs, (list, tuple)) and len(inputs) == 1 and hasattr(inputs[0], "shape"):
                return list(inputs)
            return [inputs]
        if isinstance(inputs, dict):
            flat_dict = isinstance(struct, dict) and not any(tree.is_nested(part) for part in struct.values())
            if flat_dict and struct.keys() <= inputs.keys():
                return [inputs[k] for k in sorted(struct)]
            if all(n in inputs for n in self._input_names):
                return [inputs[n] for n in self._input_names]
        flat = tree.flatten(inputs)
        if len(flat) != len(self._input_names):
            raise ValueError(
                f"Model {self.name!r} has {len(self._input_names)} inputs ({', '.join(self._input_names)}) "
                f"but was called with {len(flat)}."
            )
        return flat

    def _fit_rank(self, x: Any, spec: KerasTensor) -> Any:
        """`(n,)` where `(n, 1)` is wanted, and the other way round, as data sets often have it."""
        shape = tuple(x.shape)
        want = spec.shape
        if len(shape) == len(want):
            mismatch = any(a is not None and b is not None and a != b for a, b in zip(shape[1:], want[1:]))
            if not mismatch:
                return x
        elif len(shape) == len(want) + 1 and shape[-1] == 1:
            from kops.ops.manipulation import squeeze

            return squeeze(x, axis=-1)
        elif len(shape) == len(want) - 1 and want[-1] == 1:
            from kops.ops.manipulation import expand_dims

            return expand_dims(x, axis=-1)
        raise ValueError(
            f"Input {spec.name!r} of model {self.name!r} has shape {want}, but was given a tensor of shape {shape}."
        )

    def compute_output_spec(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        flat = self._standardize(inputs)
        if all(x is None or tuple(x.shape) == s.shape for x, s in zip(flat, self._function.inputs)):
            outputs: Any = self._function.outputs
        else:
            with NoRecording():
                outputs = self._function.run([None if x is None else KerasTensor(x.shape, x.dtype) for x in flat])
        fresh = [KerasTensor(x.shape, x.dtype, sparse=x.sparse, ragged=x.ragged) for x in outputs]
        for new, old in zip(fresh, outputs):
            mask_spec = masking.get_mask(old)
            if mask_spec is not None:
                masking.set_mask(new, KerasTensor(mask_spec.shape, mask_spec.dtype))
        return self._function.pack_outputs(fresh)

    def compute_output_shape(self, input_shape: Any) -> Any:
        specs = tree.map_shape_structure(lambda s: KerasTensor(s, record_history=False), input_shape)
        return tree.map_structure(lambda x: x.shape, self.compute_output_spec(specs))

    # Saving

    def _saveable_children(self) -> Any:
        from klayers.layer_saving import own_names
        from ksave import attribute_children

        yield "layers", self._layers
        yield from attribute_children(self, skip=own_names() | _PRIVATE)

    def get_config(self) -> dict[str, Any]:
        if not graph_config.has_graph_constructor(type(self)):
            # A subclass with its own constructor saves that constructor's arguments.
            return Model.get_config(self)
        return {"name": self.name, "trainable": self.trainable, **graph_config.graph_to_config(self)}


_PRIVATE = frozenset({"_layers", "_operations", "_function", "_optional", "_input_names", "layers", "operations"})


def functional_from_config(cls: type, config: dict[str, Any], custom_objects: Any = None) -> Any:
    """The functional model that a config describes, with new weights."""
    inputs, outputs = graph_config.graph_from_config(config, custom_objects)
    return cls(inputs, outputs, name=config.get("name"), trainable=config.get("trainable"))


def _start_at_input_layers(inputs: Any, outputs: Any) -> tuple[Any, Any]:
    """Inputs that are other layers' outputs are replaced by new `Input`s, so that the model stands for itself."""
    flat = tree.flatten(inputs)

    def from_input_layer(x: KerasTensor) -> bool:
        history = getattr(x, "_keras_history", None)
        return history is not None and isinstance(history.operation, InputLayer)

    if all(from_input_layer(x) for x in flat):
        return inputs, outputs
    fresh = [
        x
        if from_input_layer(x)
        else Input(batch_shape=x.shape, dtype=x.dtype, sparse=x.sparse, ragged=x.ragged, name=auto_name("input_layer"))
        for x in flat
    ]
    ran = Function(inputs, outputs).run(fresh)
    return tree.pack_sequence_as(inputs, fresh), tree.pack_sequence_as(outputs, ran)


def _check_names(operations: list[Any]) -> None:
    seen: set[str] = set()
    for operation in operations:
        if operation.name in seen:
            raise ValueError(
                f"Two layers of the model are named {operation.name!r}; names must differ. "
                f"All names: {[o.name for o in operations]}."
            )
        seen.add(operation.name)
