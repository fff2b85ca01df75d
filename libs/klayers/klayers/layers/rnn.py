"""RNN: any cell, over the steps of a sequence."""

from __future__ import annotations

import inspect
from typing import Any, Callable

import kops
import ksave
from klayers.layer import Layer
from kops import tree
from kops.dtypes import itemsize
from kops.keras_tensor import KerasTensor
from kops.variable import Variable
from kspec import public


@public("keras.layers.RNN")
class RNN(Layer):
    """Calls a cell for each step of a sequence, handing its states on.

    Args:
        cell: a layer with `call(inputs, states) -> output, states`, `state_size` (an integer, or a list of them) and
            optionally `output_size` and `get_initial_state(batch_size)`; or a list of cells, one upon the other.
        return_sequences: return the outputs of all steps, not only the last.
        return_state: return the last states, too.
        go_backwards: start with the last step; outputs come in the order in which they were computed.
        stateful: start where the last call ended, instead of with zeros. Needs a fixed batch size.
        unroll: a Python loop instead of the engine's: faster for short sequences, once compiled.
        zero_output_for_mask: the output of a masked step is zero instead of the output before it.

    Call:
        sequences `(batch, steps, ...)`, `initial_state` (a tensor for each state), `mask` `(batch, steps)` (False for
        steps to leave out), `training`.

    Returns:
        The output `(batch, output size)`, or `(batch, steps, output size)` with `return_sequences`; with
        `return_state` a tuple of it and the states.
    """

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, (list, tuple)):
            from klayers.layers.stacked_rnn_cells import StackedRNNCells

            cell = StackedRNNCells(cell)
        for needed in ("call", "state_size"):
            if not hasattr(cell, needed):
                raise ValueError(f"A cell must have {needed}; {cell!r} has not.")
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.zero_output_for_mask = zero_output_for_mask
        self.supports_masking = True
        self.states: Any = None
        self.state_size = cell.state_size
        self.single_state = isinstance(cell.state_size, int)

    # Shapes

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        batch, steps = sequences_shape[:2]
        states = self._state_shapes(sequences_shape)
        size = getattr(self.cell, "output_size", None)
        output = (batch, *_dims(size)) if size is not None else self._flat_states(sequences_shape)[0].shape
        if self.return_sequences:
            output = (output[0], steps, *output[1:])
        return (output, *states) if self.return_state else output

    def _state_shapes(self, sequences_shape: Any) -> list[Any]:
        def shapes(size: Any) -> Any:
            if isinstance(size, (list, tuple)) and not _is_shape(size):
                return [shapes(s) for s in size]
            return (sequences_shape[0], *_dims(size))

        return [shapes(self.state_size)] if self.single_state else shapes(list(self.state_size))

    def compute_mask(self, _: Any, mask: Any) -> Any:
        mask = tree.flatten(mask)[0] if tree.is_nested(mask) else mask
        output = mask if self.return_sequences else None
        if not self.return_state:
            return output
        return [output] + [None] * len(self._flat_states((None, None, None)))

    # Building

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        step = (sequences_shape[0], *sequences_shape[2:])
        if isinstance(self.cell, Layer) and not self.cell.built:
            if self.cell._default_build:
                # Its sublayers are built as its call reaches them: here, and not within a loop.
                states = self._state_specs(sequences_shape)
                self.cell(KerasTensor(step, self.compute_dtype), states)
            else:
                self.cell.build(step)
        if self.stateful:
            if sequences_shape[0] is None:
                raise ValueError(
                    "A stateful layer keeps a state for each sample of the batch, so the batch size must be known: "
                    "give the input a batch_shape, or batch_size."
                )
            if self.states is None:
                self._make_states(sequences_shape)

    def _state_specs(self, sequences_shape: Any) -> Any:
        return tree.map_shape_structure(
            lambda s: KerasTensor(s, self.compute_dtype, record_history=False), self._state_shapes(sequences_shape)
        )

    def _flat_states(self, sequences_shape: Any) -> list[KerasTensor]:
        return tree.flatten(self._state_specs(sequences_shape))

    def _make_states(self, sequences_shape: Any) -> None:
        def make(spec: KerasTensor) -> Variable:
            ksave.claim_variable(spec.shape, itemsize(self.variable_dtype))
            return Variable(
                lambda shape, dtype: kops.zeros(shape, dtype),
                shape=spec.shape,
                dtype=self.variable_dtype,
                trainable=False,
                name="rnn_state",
            )

        self.states = tree.map_structure(make, self._state_specs(sequences_shape))

    def _file_variables(self) -> list[Any]:
        return self._without_states(super()._file_variables())

    def _own_weights(self) -> list[Any]:
        return self._without_states(super()._own_weights())

    def _without_states(self, variables: list[Any]) -> list[Any]:
        # The states of a stateful layer are not part of the model.
        states = {id(v) for v in tree.flatten(self.states)}
        return [v for v in variables if id(v) not in states]

    # States

    def get_initial_state(self, batch_size: Any) -> list[Any]:
        """The states before the first step: the cell's, or zeros."""
        if hasattr(self.cell, "get_initial_state"):
            states = self.cell.get_initial_state(batch_size=batch_size)
            return list(states) if isinstance(states, (list, tuple)) else [states]
        return tree.map_structure(
            lambda spec: kops.zeros((batch_size, *spec.shape[1:]), self.compute_dtype),
            self._state_specs((None, None, None)),
        )

    def reset_state(self) -> None:
        """Set the states of a stateful layer to zero."""
        for v in tree.flatten(self.states):
            if v is not None:
                v.assign(kops.zeros(v.shape, v.dtype))

    reset_states = reset_state

    def _start(self, sequences: Any, initial_state: Any) -> list[Any]:
        if initial_state is None:
            if self.stateful and self.states is not None:
                # A copy: PyTorch writes the new states into the memory that gradients still need.
                initial_state = tree.map_structure(lambda v: kops.stop_gradient(v.value) + 0.0, self.states)
            else:
                initial_state = self._zero_state(sequences)
        elif not isinstance(initial_state, (list, tuple)):
            initial_state = [initial_state]
        return tree.map_structure(lambda s: kops.cast(s, self.compute_dtype), list(initial_state))

    def _zero_state(self, sequences: Any) -> Any:
        return self.get_initial_state(batch_size=kops.shape(sequences)[0])

    # The recurrence

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool = False) -> Any:
        mask = tree.flatten(mask)[0] if tree.is_nested(mask) else mask
        if self.unroll and sequences.shape[1] is None:
            raise ValueError("unroll=True needs a known number of steps.")
        states = self._start(sequences, initial_state)
        _for_dropout(self.cell, "_draw", sequences, states, training)
        try:
            last, outputs, states = self.inner_loop(sequences, states, mask, training)
        finally:
            _for_dropout(self.cell, "_forget", sequences, states, training)
        last, outputs = kops.cast(last, self.compute_dtype), kops.cast(outputs, self.compute_dtype)
        if self.stateful:
            for v, new in zip(tree.flatten(self.states), tree.flatten(states)):
                v.assign(kops.cast(new, v.dtype))
        output = outputs if self.return_sequences else last
        return (output, *states) if self.return_state else output

    def inner_loop(self, sequences: Any, initial_state: Any, mask: Any, training: bool = False) -> Any:
        """The last output, the outputs of all steps, and the last states."""
        cell = self.cell
        takes = "training" in inspect.signature(cell.call).parameters
        options = {"training": training} if takes else {}

        def step(x: Any, states: Any) -> Any:
            given = states[0] if self.single_state and not isinstance(cell, Layer) else states
            output, new = cell(x, given, **options)
            return output, list(new) if isinstance(new, (list, tuple)) else [new]

        return run_steps(
            step,
            sequences,
            initial_state,
            mask,
            go_backwards=self.go_backwards,
            unroll=self.unroll,
            zero_output_for_mask=self.zero_output_for_mask,
        )

    # Configs

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "return_sequences": self.return_sequences,
            "return_state": self.return_state,
            "go_backwards": self.go_backwards,
            "stateful": self.stateful,
            "unroll": self.unroll,
            "zero_output_for_mask": self.zero_output_for_mask,
            "cell": ksave.serialize_keras_object(self.cell),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        cell = ksave.deserialize_keras_object(config.pop("cell"), custom_objects=custom_objects)
        return cls(cell, **config)


def run_steps(
    step: Callable[..., Any],
    sequences: Any,
    states: Any,
    mask: Any,
    go_backwards: bool = False,
    unroll: bool = False,
    zero_output_for_mask: bool = False,
) -> Any:
    """`output, states = step(x, states)` for each step; see `RNN.inner_loop`."""
    x = kops.moveaxis(sequences, 1, 0)
    seen = None if mask is None else kops.moveaxis(kops.cast(mask, "bool"), 1, 0)
    if go_backwards:
        x = kops.flip(x, axis=0)
        seen = None if seen is None else kops.flip(seen, axis=0)

    def masked(carry: Any, inputs: Any) -> Any:
        states, before = carry
        x, seen = inputs
        output, new = step(x, states)
        new = tree.map_structure(lambda n, o: kops.where(_widened(seen, n), n, o), new, states)
        shown = kops.where(_widened(seen, output), output, kops.zeros_like(output) if zero_output_for_mask else before)
        kept = kops.where(_widened(seen, output), output, before)
        return (new, kept), shown

    def plain(carry: Any, x: Any) -> Any:
        output, new = step(x, carry)
        return new, output

    body: Callable[[Any, Any], Any]
    if seen is None:
        body, carry, rows = plain, states, x
    else:
        # An output before the first: of that shape, and zero.
        body, carry, rows = masked, (states, kops.zeros_like(step(x[0], states)[0])), (x, seen)
    if unroll:
        outputs = []
        for i in range(x.shape[0]):
            carry, output = body(carry, tree.map_structure(lambda v, i=i: v[i], rows))
            outputs.append(output)
        outputs = kops.stack(outputs, axis=1)
    else:
        carry, outputs = kops.scan(body, carry, rows)
        outputs = kops.moveaxis(outputs, 0, 1)
    states = carry if seen is None else carry[0]
    return outputs[:, -1], outputs, states


def _widened(mask: Any, like: Any) -> Any:
    for _ in range(len(like.shape) - 1):
        mask = kops.expand_dims(mask, -1)
    return mask


def _for_dropout(cell: Any, what: str, sequences: Any, states: Any, training: Any) -> None:
    """Draw the dropout masks before the loop (a compiled loop could not hand them out), or forget them."""
    from klayers.layers.rnn_cell import RNNCell
    from klayers.layers.stacked_rnn_cells import StackedRNNCells

    pairs = [(cell, states)]
    if isinstance(cell, StackedRNNCells):
        pairs = list(zip(cell.cells, states)) if what == "_draw" else [(c, None) for c in cell.cells]
    x = sequences[:, 0] if what == "_draw" and training else None
    for one, own in pairs:
        if not isinstance(one, RNNCell):
            continue
        if what == "_forget":
            one.reset_dropout_mask()
            one.reset_recurrent_dropout_mask()
        elif training:
            own = own if isinstance(own, (list, tuple)) else [own]
            one.get_dropout_mask(x)
            one.get_recurrent_dropout_mask(own[0])
            x = own[0]  # of the shape of its output, the input of the next


def _is_shape(x: Any) -> bool:
    return isinstance(x, tuple) and all(d is None or isinstance(d, int) for d in x)


def _dims(size: Any) -> tuple[Any, ...]:
    return tuple(size) if isinstance(size, (list, tuple)) else (size,)
