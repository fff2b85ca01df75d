"""StackedRNNCells: several cells as one."""

from __future__ import annotations

import inspect
from typing import Any

import ksave
from klayers.layer import Layer
from klayers.layers.rnn_cell import RNNCell
from kspec import public


@public("keras.layers.StackedRNNCells")
class StackedRNNCells(Layer):
    """Cells one upon the other: each takes the output of the one before.

    Args:
        cells: list of cells, see `RNN`.

    Call:
        inputs `(batch, features)`, states: a list with the states of each cell.

    Returns:
        The last cell's output, and the states.
    """

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for cell in cells:
            for needed in ("call", "state_size"):
                if not hasattr(cell, needed):
                    raise ValueError(f"A cell must have {needed}; {cell!r} has not.")
        self.cells = list(cells)

    @property
    def state_size(self) -> list[Any]:
        """The state size of each cell."""
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self) -> Any:
        """The size of the last cell's output."""
        return _output_size(self.cells[-1])

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """The initial states of each cell."""
        import kops

        states = []
        for cell in self.cells:
            if hasattr(cell, "get_initial_state"):
                state = cell.get_initial_state(batch_size=batch_size)
            else:
                sizes = cell.state_size if isinstance(cell.state_size, (list, tuple)) else [cell.state_size]
                state = [kops.zeros((batch_size, size), self.compute_dtype) for size in sizes]
            states.append(list(state) if isinstance(state, (list, tuple)) else [state])
        return states

    def build(self, input_shape: Any) -> None:
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                cell.build(input_shape)
            size = _output_size(cell)
            input_shape = (input_shape[0], *(size if isinstance(size, (list, tuple)) else (size,)))

    def call(self, inputs: Any, states: Any, training: bool = False, **kwargs: Any) -> Any:
        new_states = []
        for cell, own in zip(self.cells, states):
            own = list(own) if isinstance(own, (list, tuple)) else [own]
            options = dict(kwargs)
            if "training" in inspect.signature(cell.call).parameters:
                options["training"] = training
            inputs, new = cell(inputs, own, **options)
            new_states.append(list(new) if isinstance(new, (list, tuple)) else [new])
        return inputs, new_states

    def reset_dropout_mask(self) -> None:
        for cell in self.cells:
            if isinstance(cell, RNNCell):
                cell.reset_dropout_mask()

    def reset_recurrent_dropout_mask(self) -> None:
        for cell in self.cells:
            if isinstance(cell, RNNCell):
                cell.reset_recurrent_dropout_mask()

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "cells": [ksave.serialize_keras_object(c) for c in self.cells]}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        cells = [ksave.deserialize_keras_object(c, custom_objects=custom_objects) for c in config.pop("cells")]
        return cls(cells, **config)


def _output_size(cell: Any) -> Any:
    size = getattr(cell, "output_size", None)
    if size is not None:
        return size
    return cell.state_size[0] if isinstance(cell.state_size, (list, tuple)) else cell.state_size
