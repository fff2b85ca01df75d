"""LSTM and LSTMCell."""

from __future__ import annotations

from typing import Any

import kops
from klayers import activations, initializers
from klayers.layers.recurrent_layer import RecurrentLayer, shows_cell
from klayers.layers.rnn_cell import CELL_ARGUMENTS, RNNCell
from klayers.layers.settings import config_of, positive_int, store
from kops.ops import nn_rnn
from kspec import public


@public("keras.layers.LSTMCell")
class LSTMCell(RNNCell):
    """One step of a long short-term memory.

    `c' = f * c + i * activation(g)` and `h' = o * activation(c')`, where the input gate i, forget gate f and
    output gate o are `recurrent_activation` of, and g is, a linear function of the inputs and h.

    Args:
        units: size of the output and of both states.
        activation: of the candidate and the cell state.
        recurrent_activation: of the gates.
        use_bias: whether a bias is added.
        unit_forget_bias: start with 1 as the bias of the forget gate (Jozefowicz et al., 2015).
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: of the weights.
        dropout, recurrent_dropout: share of the inputs and of the state that is dropped in training.
        seed: of the dropout.

    Call:
        inputs `(batch, features)`, states `[h, c]`, each `(batch, units)`, `training`.

    Returns:
        The output `(batch, units)`, and the states.

    Source: Hochreiter and Schmidhuber, "Long short-term memory", 1997.
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
        unit_forget_bias: bool = True,
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
        self.implementation = kwargs.pop("implementation", 2)
        super().__init__(**kwargs)
        self.units = positive_int(units, "units")
        store(self, activation=activation, recurrent_activation=recurrent_activation, **given)
        self.use_bias = use_bias
        self.unit_forget_bias = unit_forget_bias
        self._set_dropout(dropout, recurrent_dropout, seed)
        self.state_size = [self.units, self.units]
        self.output_size = self.units

    def build(self, input_shape: Any) -> None:
        initializer = self.bias_initializer
        if self.unit_forget_bias:
            initializer = forget_bias(self.bias_initializer, self.units)
        self._make_weights(input_shape, 4, (4 * self.units,), initializer)

    def call(self, inputs: Any, states: Any, training: bool = False) -> Any:
        h, c = states
        inputs, h = self._dropped(inputs, h, training)
        z = kops.matmul(inputs, self.kernel) + kops.matmul(h, self.recurrent_kernel)
        if self.bias is not None:
            z = z + self.bias
        i, f, g, o = kops.split(z, 4, axis=-1)
        gate = self.recurrent_activation
        c = gate(f) * c + gate(i) * self.activation(g)
        h = gate(o) * self.activation(c)
        return h, [h, c]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **config_of(
                self,
                "units",
                "activation",
                "recurrent_activation",
                "use_bias",
                "unit_forget_bias",
                *CELL_ARGUMENTS,
                "dropout",
                "recurrent_dropout",
                "seed",
            ),
        }


def forget_bias(initializer: Any, units: int) -> Any:
    """The initializer with ones in the second quarter, where the forget gate is."""

    def make(shape: Any, dtype: Any = None) -> Any:
        parts = [
            initializer((units,), dtype=dtype),
            initializers.get("ones")((units,), dtype=dtype),
            initializer((2 * units,), dtype=dtype),
        ]
        return kops.concatenate([kops.convert_to_tensor(p) for p in parts], axis=0)

    return make


@public("keras.layers.LSTM")
@shows_cell(
    "units",
    "activation",
    "recurrent_activation",
    "use_bias",
    "unit_forget_bias",
    *CELL_ARGUMENTS,
    "dropout",
    "recurrent_dropout",
    "seed",
)
class LSTM(RecurrentLayer):
    """A long short-term memory over the steps of a sequence.

    With the default activations and without recurrent dropout all steps are one op, for which an engine may have a
    fused kernel.

    Args:
        units: size of the output.
        activation, recurrent_activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer,
            unit_forget_bias, kernel_regularizer, recurrent_regularizer, bias_regularizer, kernel_constraint,
            recurrent_constraint, bias_constraint, dropout, recurrent_dropout, seed: see `LSTMCell`.
        activity_regularizer: of the output.
        return_sequences, return_state, go_backwards, stateful, unroll: see `RNN`.
        use_cudnn: kept for compatibility; the engine decides.

    Call:
        sequences `(batch, steps, features)`, `initial_state` `[h, c]`, `mask` `(batch, steps)`, `training`.

    Returns:
        See `RNN`; the states are h and c.

    Example:
        >>> LSTM(4, return_sequences=True)(np.zeros((2, 10, 8))).shape
        (2, 10, 4)
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
        unit_forget_bias: bool = True,
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
        use_cudnn: Any = "auto",
        **kwargs: Any,
    ) -> None:
        given = {n: v for n, v in locals().items() if n in CELL_ARGUMENTS}
        cell = LSTMCell(
            units,
            activation=activation,
            recurrent_activation=recurrent_activation,
            use_bias=use_bias,
            unit_forget_bias=unit_forget_bias,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            seed=seed,
            dtype=kwargs.get("dtype"),
            trainable=kwargs.get("trainable", True),
            name="lstm_cell",
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
        return nn_rnn.lstm if usual else None
