"""What the cells of recurrent layers share: dropout with one mask for all steps, and states of one size."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layer import Layer
from klayers.layers.dropout import check_rate
from kops import random

CELL_ARGUMENTS = (
    "kernel_initializer",
    "recurrent_initializer",
    "bias_initializer",
    "kernel_regularizer",
    "recurrent_regularizer",
    "bias_regularizer",
    "kernel_constraint",
    "recurrent_constraint",
    "bias_constraint",
)


class RNNCell(Layer):
    """One step of a recurrence: `call(inputs, states) -> output, states`.

    `state_size` is the size of each state (an integer, or a list for several), `output_size` that of the output.
    Dropout masks are drawn at the first step and kept until `reset_dropout_mask()`, so that all steps of a sequence
    lose the same features (Gal and Ghahramani, 2016).
    """

    state_size: Any
    output_size: Any

    def _set_dropout(self, dropout: float, recurrent_dropout: float, seed: Any) -> None:
        self.dropout = check_rate(dropout)
        self.recurrent_dropout = check_rate(recurrent_dropout)
        self.seed = seed
        self.seed_generator = random.SeedGenerator(seed)
        self._dropout_masks: dict[str, Any] = {}

    def _dropout_mask(self, kind: str, like: Any, rate: float) -> Any:
        if not 0 < rate < 1:
            return None
        if kind not in self._dropout_masks:
            ones = kops.ones_like(like)
            self._dropout_masks[kind] = random.dropout(ones, rate, seed=self.seed_generator)
        return self._dropout_masks[kind]

    def get_dropout_mask(self, step_input: Any) -> Any:
        """What the inputs of all steps are multiplied with in training; None without dropout."""
        return self._dropout_mask("inputs", step_input, self.dropout)

    def get_recurrent_dropout_mask(self, step_input: Any) -> Any:
        """What the state is multiplied with in training; None without recurrent dropout."""
        return self._dropout_mask("state", step_input, self.recurrent_dropout)

    def reset_dropout_mask(self) -> None:
        """Forget the mask of the inputs; the next call draws another."""
        self._dropout_masks.pop("inputs", None)

    def reset_recurrent_dropout_mask(self) -> None:
        """Forget the mask of the state."""
        self._dropout_masks.pop("state", None)

    def _dropped(self, inputs: Any, state: Any, training: Any) -> tuple[Any, Any]:
        """Inputs and state after dropout."""
        if training:
            for_inputs = self.get_dropout_mask(inputs)
            for_state = self.get_recurrent_dropout_mask(state)
            inputs = inputs if for_inputs is None else inputs * for_inputs
            state = state if for_state is None else state * for_state
        return inputs, state

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Zeros `(batch_size, size)` for each state."""
        sizes = self.state_size if isinstance(self.state_size, (list, tuple)) else [self.state_size]
        return [kops.zeros((batch_size, size), dtype=self.compute_dtype) for size in sizes]

    def _make_weights(self, input_shape: Any, gates: int, bias_shape: Any, bias_initializer: Any) -> None:
        features = input_shape[-1]
        if features is None:
            raise ValueError(
                f"{type(self).__name__} needs to know the number of features (the last axis), but the input shape is "
                f"{tuple(input_shape)}."
            )
        self.kernel = self.add_weight(
            shape=(features, gates * self.units),
            name="kernel",
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.recurrent_kernel = self.add_weight(
            shape=(self.units, gates * self.units),
            name="recurrent_kernel",
            initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer,
            constraint=self.recurrent_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                shape=bias_shape,
                name="bias",
                initializer=bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
