"""GRU and GRUCell."""

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


@public("keras.layers.GRUCell")
class GRUCell(RNNCell):
    """One step of a gated recurrent unit: `h' = z * h + (1 - z) * candidate`.

    The update gate z and the reset gate r are `recurrent_activation` of linear functions of the inputs and h, and the
    candidate is `activation` of another in which h is reset by r.

    Args:
        units: size of the output and of the state.
        activation: of the candidate.
        recurrent_activation: of the gates.
        use_bias: whether a bias is added.
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: of the weights.
        dropout, recurrent_dropout: share of the inputs and of the state that is dropped in training.
        reset_after: apply the reset gate after the state has been multiplied (as cuDNN does), not before. Then there
            are two biases, `(2, 3 * units)`.
        seed: of the dropout.

    Call:
        inputs `(batch, features)`, states: h `(batch, units)` or a list of it, `training`.

    Returns:
        The output `(batch, units)`, and the state.

    Source: Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014.
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
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
        reset_after: bool = True,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        given = {n: v for n, v in locals().items() if n in CELL_ARGUMENTS}
        self.implementation = kwargs.pop("implementation", 2)
        super().__init__(**kwargs)
        self.units = positive_int(units, "units")
        store(self, activation=activation, recurrent_activation=recurrent_activation, **given)
        self.use_bias = use_bias
        self.reset_after = reset_after
        self._set_dropout(dropout, recurrent_dropout, seed)
        self.state_size = self.units
        self.output_size = self.units

    def build(self, input_shape: Any) -> None:
        width = 3 * self.units
        self._make_weights(input_shape, 3, (2, width) if self.reset_after else (width,), self.bias_initializer)

    def call(self, inputs: Any, states: Any, training: bool = False) -> Any:
        state = states[0] if isinstance(states, (list, tuple)) else states
        inputs, h = self._dropped(inputs, state, training)
        here, there = self.bias, None
        if self.bias is not None and self.reset_after:
            here, there = self.bias[0], self.bias[1]
        x = kops.matmul(inputs, self.kernel)
        xz, xr, xn = kops.split(x if here is None else x + here, 3, axis=-1)
        gate = self.recurrent_activation
        if self.reset_after:
            recurrent = kops.matmul(h, self.recurrent_kernel)
            hz, hr, hn = kops.split(recurrent if there is None else recurrent + there, 3, axis=-1)
            candidate = xn + gate(xr + hr) * hn
        else:
            kernel = kops.convert_to_tensor(self.recurrent_kernel)
            hz, hr = kops.split(kops.matmul(h, kernel[:, : 2 * self.units]), 2, axis=-1)
            candidate = xn + kops.matmul(gate(xr + hr) * h, kernel[:, 2 * self.units :])
        z = gate(xz + hz)
        new = z * state + (1 - z) * self.activation(candidate)
        return new, [new] if isinstance(states, (list, tuple)) else new

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **config_of(
                self,
                "units",
                "activation",
                "recurrent_activation",
                "use_bias",
                *CELL_ARGUMENTS,
                "dropout",
                "recurrent_dropout",
                "reset_after",
                "seed",
            ),
        }


@public("keras.layers.GRU")
@shows_cell(
    "units",
    "activation",
    "recurrent_activation",
    "use_bias",
    *CELL_ARGUMENTS,
    "dropout",
    "recurrent_dropout",
    "reset_after",
    "seed",
)
class GRU(RecurrentLayer):
    """A gated recurrent unit over the steps of a sequence.

    With the default activations and without recurrent dropout all steps are one op, for which an engine may have a
    fused kernel.

    Args:
        units: size of the output.
        activation, recurrent_activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer,
            kernel_regularizer, recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint,
            bias_constraint, dropout, recurrent_dropout, seed, reset_after: see `GRUCell`.
        activity_regularizer: of the output.
        return_sequences, return_state, go_backwards, stateful, unroll: see `RNN`.
        use_cudnn: kept for compatibility; the engine decides.

    Call:
        sequences `(batch, steps, features)`, `initial_state` `(batch, units)`, `mask` `(batch, steps)`, `training`.

    Returns:
        See `RNN`.
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
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
        seed: Any = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        reset_after: bool = True,
        use_cudnn: Any = "auto",
        **kwargs: Any,
    ) -> None:
        given = {n: v for n, v in locals().items() if n in CELL_ARGUMENTS}
        cell = GRUCell(
            units,
            activation=activation,
            recurrent_activation=recurrent_activation,
            use_bias=use_bias,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            reset_after=reset_after,
            seed=seed,
            dtype=kwargs.get("dtype"),
            trainable=kwargs.get("trainable", True),
            name="gru_cell",
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
        self.use_cudnn = use_cudnn

    def _fused(self, training: Any) -> Any:
        usual = self.activation is activations.tanh and self.recurrent_activation is activations.sigmoid
        return functools.partial(nn_rnn.gru, reset_after=self.reset_after) if usual else None
