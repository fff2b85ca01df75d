"""Bidirectional: a recurrent layer in both directions."""

from __future__ import annotations

from typing import Any

import kops
import ksave
from klayers.layer import Layer
from klayers.layers.settings import config_of
from kops import tree
from kspec import public

MERGE_MODES = ("sum", "mul", "ave", "concat", None)


@public("keras.layers.Bidirectional")
class Bidirectional(Layer):
    """Runs a copy of a recurrent layer forwards and another backwards, and merges their outputs.

    Args:
        layer: an `RNN`, or a layer with the same arguments and attributes.
        merge_mode: "concat" (along the last axis), "sum", "mul", "ave", or None to return both outputs.
        weights: initial values, as `set_weights` takes them.
        backward_layer: the layer for the other direction, with `go_backwards` the opposite of the first one's; default
            a copy of `layer`.

    Call:
        sequences `(batch, steps, features)`, `initial_state` (first the states of the forward layer, then those of the
        backward layer), `mask`, `training`.

    Returns:
        The merged output; with `return_state` a tuple of it and all states.

    Source: Schuster and Paliwal, "Bidirectional recurrent neural networks", 1997.
    """

    def __init__(
        self, layer: Any, merge_mode: Any = "concat", weights: Any = None, backward_layer: Any = None, **kwargs: Any
    ) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(f"Bidirectional takes a layer, not {layer!r}.")
        if backward_layer is not None and not isinstance(backward_layer, Layer):
            raise ValueError(f"backward_layer must be a layer, not {backward_layer!r}.")
        if merge_mode not in MERGE_MODES:
            raise ValueError(f"merge_mode must be one of {MERGE_MODES}, not {merge_mode!r}.")
        super().__init__(**kwargs)
        self.forward_layer = _copy(layer, "forward_")
        if backward_layer is None:
            backward_layer = _copy(layer, "backward_", go_backwards=not layer.go_backwards)
        self.backward_layer = backward_layer
        for name, same in (
            ("go_backwards", False),
            ("stateful", True),
            ("return_sequences", True),
            ("return_state", True),
        ):
            a, b = getattr(self.forward_layer, name), getattr(backward_layer, name)
            if (a == b) != same:
                raise ValueError(
                    f"layer and backward_layer must have {'the same' if same else 'different'} {name}; got {a} and {b}."
                )
        self.merge_mode = merge_mode
        self._initial = weights
        self.stateful = layer.stateful
        self.return_sequences = layer.return_sequences
        self.return_state = layer.return_state
        self.supports_masking = True

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        for layer in (self.forward_layer, self.backward_layer):
            if not layer.built:
                layer.build(sequences_shape)
        if self._initial is not None:
            half = len(self._initial) // 2
            self.forward_layer.set_weights(self._initial[:half])
            self.backward_layer.set_weights(self._initial[half:])

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = None) -> Any:
        first = second = None
        if initial_state is not None:
            half = len(initial_state) // 2
            first, second = list(initial_state[:half]), list(initial_state[half:])
        ahead = self.forward_layer(sequences, initial_state=first, mask=mask, training=training)
        back = self.backward_layer(sequences, initial_state=second, mask=mask, training=training)
        states: tuple[Any, ...] = ()
        if self.return_state:
            ahead, *states_ahead = ahead
            back, *states_back = back
            states = (*states_ahead, *states_back)
        if self.return_sequences:
            back = kops.flip(back, axis=1)
        merged = self._merge(ahead, back)
        if not self.return_state:
            return merged
        return (*merged, *states) if self.merge_mode is None else (merged, *states)

    def _merge(self, ahead: Any, back: Any) -> Any:
        if self.merge_mode == "concat":
            return kops.concatenate([ahead, back], axis=-1)
        if self.merge_mode == "sum":
            return ahead + back
        if self.merge_mode == "ave":
            return (ahead + back) / 2
        if self.merge_mode == "mul":
            return ahead * back
        return ahead, back

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        shape = self.forward_layer.compute_output_shape(sequences_shape)
        other = self.backward_layer.compute_output_shape(sequences_shape)
        states: tuple[Any, ...] = ()
        if self.return_state:
            shape, *own = shape
            other, *others = other
            states = (*own, *others)
        if self.merge_mode == "concat":
            last = None if None in (shape[-1], other[-1]) else shape[-1] + other[-1]
            shape = (*shape[:-1], last)
        if self.merge_mode is None:
            return (shape, other, *states)
        return (shape, *states) if self.return_state else shape

    def compute_mask(self, _: Any, mask: Any) -> Any:
        mask = tree.flatten(mask)[0] if tree.is_nested(mask) else mask
        output = mask if self.return_sequences else None
        masks = [output, output] if self.merge_mode is None else [output]
        if self.return_state:
            return masks + [None] * (2 * len(tree.flatten(self.forward_layer.state_size)))
        return masks if self.merge_mode is None else output

    @property
    def states(self) -> Any:
        """The states of both layers, if they are stateful."""
        if self.forward_layer.states is None:
            return None
        return (*self.forward_layer.states, *self.backward_layer.states)

    def reset_state(self) -> None:
        """Set the states of stateful layers to zero."""
        if not self.stateful:
            raise AttributeError("Only a stateful layer has a state to reset.")
        self.forward_layer.reset_state()
        self.backward_layer.reset_state()

    reset_states = reset_state

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **config_of(self, "merge_mode"),
            "layer": ksave.serialize_keras_object(self.forward_layer),
            "backward_layer": ksave.serialize_keras_object(self.backward_layer),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        for name in ("layer", "backward_layer"):
            if config.get(name) is not None:
                config[name] = ksave.deserialize_keras_object(config[name], custom_objects=custom_objects)
        return cls(**config)


def _prefixed(prefix: str, name: str) -> str:
    return name if name.startswith(prefix) else prefix + name


def _copy(layer: Any, prefix: str, **changes: Any) -> Any:
    config = {**layer.get_config(), **changes}
    name = config["name"]
    if prefix == "backward_" and name.startswith("forward_"):
        name = name[len("forward_") :]
    config["name"] = _prefixed(prefix, name)
    return type(layer).from_config(config)
