"""ConvLSTM1D, ConvLSTM2D, ConvLSTM3D."""

from __future__ import annotations

from typing import Any

import kops
from klayers.input_spec import InputSpec
from klayers.layers.lstm import forget_bias
from klayers.layers.recurrent_layer import RecurrentLayer, shows_cell
from klayers.layers.rnn_cell import CELL_ARGUMENTS, RNNCell
from klayers.layers.settings import choice, config_of, positive_int, store
from kops import windows
from kops.config import standardize_data_format
from kspec import public

_OWN = (
    "filters",
    "kernel_size",
    "strides",
    "padding",
    "data_format",
    "dilation_rate",
    "activation",
    "recurrent_activation",
    "use_bias",
    *CELL_ARGUMENTS,
    "unit_forget_bias",
    "dropout",
    "recurrent_dropout",
    "seed",
)


class ConvLSTMCell(RNNCell):
    """An `LSTMCell` whose products with matrices are convolutions; see `ConvLSTM2D`."""

    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: Any = None,
        dilation_rate: Any = 1,
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
        super().__init__(**kwargs)
        self.rank = rank
        self.filters = positive_int(filters, "filters")
        self.kernel_size = windows.each(kernel_size, rank, "kernel_size")
        self.strides = windows.each(strides, rank, "strides")
        self.padding = choice(padding, "padding", ("valid", "same"))
        self.data_format = standardize_data_format(data_format)
        self.dilation_rate = windows.each(dilation_rate, rank, "dilation_rate")
        store(self, activation=activation, recurrent_activation=recurrent_activation, **given)
        self.use_bias = use_bias
        self.unit_forget_bias = unit_forget_bias
        self._set_dropout(dropout, recurrent_dropout, seed)
        # Height and width are those of the convolved inputs; see ConvLSTM._state_shapes.
        self.state_size = [self.filters, self.filters]
        self.output_size = self.filters

    @property
    def _channel_axis(self) -> int:
        return -1 if self.data_format == "channels_last" else 1

    def build(self, input_shape: Any) -> None:
        channels = input_shape[self._channel_axis]
        if channels is None:
            raise ValueError(f"A ConvLSTM needs to know the number of channels; the step is {tuple(input_shape)}.")
        for name, depth, of in (("kernel", channels, "kernel"), ("recurrent_kernel", self.filters, "recurrent")):
            weight = self.add_weight(
                shape=(*self.kernel_size, depth, 4 * self.filters),
                name=name,
                initializer=getattr(self, f"{of}_initializer"),
                regularizer=getattr(self, f"{of}_regularizer"),
                constraint=getattr(self, f"{of}_constraint"),
            )
            setattr(self, name, weight)
        self.bias = None
        if self.use_bias:
            initializer = self.bias_initializer
            self.bias = self.add_weight(
                shape=(4 * self.filters,),
                name="bias",
                initializer=forget_bias(initializer, self.filters) if self.unit_forget_bias else initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def call(self, inputs: Any, states: Any, training: bool = False) -> Any:
        h, c = states
        inputs, h = self._dropped(inputs, h, training)
        z = kops.conv(
            inputs,
            self.kernel,
            strides=self.strides,
            padding=self.padding,
            data_format=self.data_format,
            dilation_rate=self.dilation_rate,
        )
        if self.bias is not None:
            bias = self.bias
            if self._channel_axis == 1:
                bias = kops.reshape(bias, (-1, *(1,) * self.rank))
            z = z + bias
        z = z + kops.conv(h, self.recurrent_kernel, strides=1, padding="same", data_format=self.data_format)
        i, f, g, o = kops.split(z, 4, axis=self._channel_axis)
        gate = self.recurrent_activation
        c = gate(f) * c + gate(i) * self.activation(g)
        h = gate(o) * self.activation(c)
        return h, [h, c]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rank": self.rank, **config_of(self, *_OWN)}


class ConvLSTM(RecurrentLayer):
    """What the three have in common; subclasses set `rank`, the number of spatial axes."""

    rank = 0

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: Any = None,
        dilation_rate: Any = 1,
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
        **kwargs: Any,
    ) -> None:
        given = {n: v for n, v in locals().items() if n in _OWN}
        cell = ConvLSTMCell(
            self.rank,
            dtype=kwargs.get("dtype"),
            trainable=kwargs.get("trainable", True),
            name=f"conv_lstm{self.rank}d_cell",
            **given,
        )
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        self.input_spec = InputSpec(ndim=self.rank + 3)

    def _fused(self, training: Any) -> Any:
        return None

    def _state_shapes(self, sequences_shape: Any) -> list[Any]:
        cell = self.cell
        if len(sequences_shape) != self.rank + 3:
            return [(sequences_shape[0],) + (None,) * (self.rank + 1)] * 2
        last = cell.data_format == "channels_last"
        spatial = sequences_shape[2:-1] if last else sequences_shape[3:]
        sizes = [
            None if d is None else windows_size(d, k, s, cell.padding, r)
            for d, k, s, r in zip(spatial, cell.kernel_size, cell.strides, cell.dilation_rate)
        ]
        batch, filters = sequences_shape[0], cell.filters
        shape = (batch, *sizes, filters) if last else (batch, filters, *sizes)
        return [shape, shape]

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        states = self._state_shapes(sequences_shape)
        output = states[0]
        if self.return_sequences:
            output = (output[0], sequences_shape[1], *output[1:])
        return (output, *states) if self.return_state else output

    def _zero_state(self, sequences: Any) -> Any:
        shapes = self._state_shapes((kops.shape(sequences)[0], *sequences.shape[1:]))
        return [kops.zeros(s, self.compute_dtype) for s in shapes]

    def get_initial_state(self, batch_size: Any) -> list[Any]:
        """Zeros; the layer must be built, since the size of the state is that of the convolved inputs."""
        shapes = self._build_shapes
        if isinstance(shapes, dict):
            shapes = shapes["sequences_shape"]
        if shapes is None:
            raise ValueError("The size of the state of a ConvLSTM is known once the layer is built.")
        return [kops.zeros(s, self.compute_dtype) for s in self._state_shapes((batch_size, *shapes[1:]))]


def windows_size(size: int, kernel: int, stride: int, padding: str, dilation: int) -> int:
    """How many positions a convolution has along an axis."""
    if padding == "same":
        return -(-size // stride)
    return (size - dilation * (kernel - 1) - 1) // stride + 1


@public("keras.layers.ConvLSTM1D")
@shows_cell(*_OWN)
class ConvLSTM1D(ConvLSTM):
    """`ConvLSTM2D` for sequences of signals `(batch, steps, size, channels)`."""

    rank = 1


@public("keras.layers.ConvLSTM2D")
@shows_cell(*_OWN)
class ConvLSTM2D(ConvLSTM):
    """A long short-term memory over images, in which convolutions stand for the products with matrices.

    Args:
        filters: channels of the output and of both states.
        kernel_size, strides, padding, data_format, dilation_rate: of the convolution of the inputs, see `Conv2D`; that
            of the state has the same kernel size, and keeps the size.
        activation, recurrent_activation, use_bias, unit_forget_bias, kernel_initializer, recurrent_initializer,
            bias_initializer, kernel_regularizer, recurrent_regularizer, bias_regularizer, kernel_constraint,
            recurrent_constraint, bias_constraint, dropout, recurrent_dropout, seed: see `LSTMCell`.
        activity_regularizer: of the output.
        return_sequences, return_state, go_backwards, stateful: see `RNN`.

    Call:
        sequences `(batch, steps, height, width, channels)`, `initial_state` `[h, c]`, `mask` `(batch, steps)`,
        `training`.

    Returns:
        `(batch, new height, new width, filters)`; see `RNN`.

    Source: Shi et al., "Convolutional LSTM network", 2015.
    """

    rank = 2


@public("keras.layers.ConvLSTM3D")
@shows_cell(*_OWN)
class ConvLSTM3D(ConvLSTM):
    """`ConvLSTM2D` for sequences of volumes `(batch, steps, dim1, dim2, dim3, channels)`."""

    rank = 3
