"""SimpleRNN and SimpleRNNCell."""

from __future__ import annotations

import functools
from typing import Any

import kops
from klayers import activations
from klayers.layers.recurrent_layer import RecurrentLayer, shows_cell
from klayers.layers.rnn_cell import CELL_ARGUMENTS, RNNCell
from klayers.layers.settings import config_of, positive_int, store
from kops.ops import nn_rnn
from kspec import public


@public("keras.layers.SimpleRNNCell")
class SimpleRNNCell(RNNCell):
    """One step of the plainest recurrence: `h' = activation(inputs @ kernel + h @ recurrent_kernel + bias)`.

    Args:
        units: size of the output and of the state.
        activation: of the output.
        use_bias: whether a bias is added.
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: of the weights.
        dropout, recurrent_dropout: share of the inputs and of the state that is dropped in training.
        seed: of the dropout.

    Call:
        sequence `(batch, features)`, states: h `(batch, units)` or a list of it, `training`.

    Returns:
        The output `(batch, units)`, and the state.
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        given = {n: v for n, v in locals().items() if n in CELL_ARGUMENTS}
        super().__init__(**kwargs)
        self.units = positive_int(units, "units")
        store(self, activation=activation, **given)
        self.use_bias = use_bias
        self._set_dropout(dropout, recurrent_dropout, seed)
        self.state_size = self.units
        self.output_size = self.units

    def build(self, input_shape: Any) -> None:
        self._make_weights(input_shape, 1, (self.units,), self.bias_initializer)

    def call(self, sequence: Any, states: Any, training: bool = False) -> Any:
        h = states[0] if isinstance(states, (list, tuple)) else states
        sequence, h = self._dropped(sequence, h, training)
        z = kops.matmul(sequence, self.kernel) + kops.matmul(h, self.recurrent_kernel)
        if self.bias is not None:
            z = z + self.bias
        new = self.activation(z)
        return new, [new] if isinstance(states, (list, tuple)) else new

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **config_of(
                self, "units", "activation", "use_bias", *CELL_ARGUMENTS, "dropout", "recurrent_dropout", "seed"
            ),
        }


@public("keras.layers.SimpleRNN")
@shows_cell("units", "activation", "use_bias", *CELL_ARGUMENTS, "dropout", "recurrent_dropout")
class SimpleRNN(RecurrentLayer):
    """The plainest recurrence over the steps of a sequence; see `SimpleRNNCell`.

    With tanh or relu and without recurrent dropout all steps are one op, for which an engine may have a fused kernel.

    Args:
        units: size of the output.
        activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer,
            recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint, dropout,
            recurrent_dropout, seed: see `SimpleRNNCell`.
        activity_regularizer: of the output.
        return_sequences, return_state, go_backwards, stateful, unroll: see `RNN`.

    Call:
        sequences `(batch, steps, features)`, `initial_state` `(batch, units)`, `mask` `(batch, steps)`, `training`.

    Returns:
        See `RNN`.
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        given = {n: v for n, v in locals().items() if n in CELL_ARGUMENTS}
        cell = SimpleRNNCell(
            units,
            activation=activation,
            use_bias=use_bias,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            seed=seed,
            dtype=kwargs.get("dtype"),
            trainable=kwargs.get("trainable", True),
            name="simple_rnn_cell",
            **given,
        )
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            unroll=unroll,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )

    def _fused(self, training: Any) -> Any:
        known = {activations.tanh: "tanh", activations.relu: "relu"}
        name = known.get(self.activation)
        return None if name is None else functools.partial(nn_rnn.simple_rnn, activation=name)
