"""Recurrent graph kernels: OpenVINO's sequence ops, which have one direction per weight matrix and gates in rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import kops
from kops import recurrence
from kops.backends.openvino import opset
from kops.backends.openvino.core import GraphTensor, node
from kops.backends.openvino.loops import loop


def _i64(*values: int) -> Any:
    return opset.constant(np.array(values, np.int64))


def _unsqueezed(x: Any, axis: int) -> Any:
    return opset.unsqueeze(x, _i64(axis))


def _lengths(x: Any) -> Any:
    """All steps, for every sample."""
    shape = opset.shape_of(x, "i64")
    batch, steps = (opset.gather(shape, _i64(i), opset.constant(np.int64(0))) for i in (0, 1))
    return opset.broadcast(steps, batch)


def _rows(w: Any, order: list[int]) -> Any:
    """`(features, gates * units)` as `(1, gates * units, features)`, the gates in OpenVINO's order."""
    parts = opset.split(w, opset.constant(np.int64(1)), len(order)).outputs() if len(order) > 1 else [w]
    columns = opset.concat([parts[i] for i in order], 1)
    return _unsqueezed(opset.transpose(columns, _i64(1, 0)), 0)


def _bias(parts: list[Any], order: list[int], units: int) -> Any:
    """`(1, gates * units)` from `(gates * units,)` vectors, whose gates are reordered one by one."""
    pieces: list[Any] = []
    for b in parts:
        split = opset.split(b, opset.constant(np.int64(0)), len(order)).outputs() if len(order) > 1 else [b]
        pieces.extend(split[i] for i in order)
    return _unsqueezed(opset.concat(pieces, 0), 0)


def _run(
    build: Any, inputs: Any, states: Any, kernel: Any, recurrent_kernel: Any, bias: Any, order: list[int],
    reverse: bool,
) -> list[GraphTensor]:  # fmt: skip
    x = node(inputs)
    initial = [_unsqueezed(node(s), 1) for s in states]
    weights = _rows(node(kernel), order), _rows(node(recurrent_kernel), order)
    result = build(x, initial, _lengths(x), *weights, bias, "reverse" if reverse else "forward")
    outputs = opset.squeeze(result.output(0), _i64(1))
    if reverse:  # OpenVINO puts outputs where their inputs are; ours come as computed
        outputs = opset.reverse(outputs, _i64(1), "index") if hasattr(opset, "reverse") else _flipped(outputs)
    return [GraphTensor(outputs), *(GraphTensor(opset.squeeze(o, _i64(1))) for o in result.outputs()[1:])]


def _flipped(x: Any) -> Any:
    return opset.slice(x, _i64(-1), _i64(np.iinfo(np.int64).min), _i64(-1), _i64(1))


def _zeros(count: int, like: Any) -> Any:
    return opset.convert(opset.constant(np.zeros(count, np.float32)), node(like).get_element_type())


def lstm(inputs: Any, h0: Any, c0: Any, kernel: Any, recurrent_kernel: Any, bias: Any, mask: Any, reverse: bool) -> Any:
    units = recurrent_kernel.shape[0]
    order = [1, 0, 2, 3]
    given = node(bias) if bias is not None else _zeros(4 * units, kernel)

    def build(x: Any, states: Any, lengths: Any, w: Any, r: Any, b: Any, direction: str) -> Any:
        return opset.lstm_sequence(x, *states, lengths, w, r, b, units, direction)

    b = _bias([given], order, units)
    return _run(build, inputs, (h0, c0), kernel, recurrent_kernel, b, order, reverse)


def gru(
    inputs: Any, h0: Any, kernel: Any, recurrent_kernel: Any, bias: Any, mask: Any, reverse: bool, reset_after: bool
) -> Any:
    units = recurrent_kernel.shape[0]
    order = [0, 1, 2]
    if bias is None:
        b = _unsqueezed(_zeros((4 if reset_after else 3) * units, kernel), 0)
    elif reset_after:
        # Biases of the gates are added up; the candidate's are apart.
        here, there = (
            opset.gather(node(bias), opset.constant(np.int64(i)), opset.constant(np.int64(0))) for i in (0, 1)
        )
        hz, hr, hn = opset.split(here, opset.constant(np.int64(0)), 3).outputs()
        tz, tr, tn = opset.split(there, opset.constant(np.int64(0)), 3).outputs()
        b = _unsqueezed(opset.concat([opset.add(hz, tz), opset.add(hr, tr), hn, tn], 0), 0)
    else:
        b = _bias([node(bias)], order, units)

    def build(x: Any, states: Any, lengths: Any, w: Any, r: Any, b: Any, direction: str) -> Any:
        return opset.gru_sequence(x, *states, lengths, w, r, b, units, direction, linear_before_reset=reset_after)

    return _run(build, inputs, (h0,), kernel, recurrent_kernel, b, order, reverse)


def simple_rnn(
    inputs: Any, h0: Any, kernel: Any, recurrent_kernel: Any, bias: Any, mask: Any, reverse: bool, activation: str
) -> Any:
    units = recurrent_kernel.shape[0]
    given = node(bias) if bias is not None else _zeros(units, kernel)

    def build(x: Any, states: Any, lengths: Any, w: Any, r: Any, b: Any, direction: str) -> Any:
        return opset.rnn_sequence(x, *states, lengths, w, r, b, units, direction, activations=[activation])

    return _run(build, inputs, (h0,), kernel, recurrent_kernel, _bias([given], [0], units), [0], reverse)


def _loop(step: Any, states: Any, sequence: Any, mask: Any) -> Any:
    """The loop of `kops.recurrence`."""
    if mask is None:
        turn, sequences = step, [(sequence, 1)]
    else:
        turn, sequences = recurrence.masked_step(step), [(sequence, 1), (mask, 1)]
        states = [*states, kops.zeros_like(states[0])]

    def body(before: Any, slices: Any) -> Any:
        after = turn(before, slices[0], *(kops.expand_dims(seen, 1) for seen in slices[1:]))
        return after, [after[0 if mask is None else -1]], None

    states, (outputs,) = loop(body, states, sequences)
    return kops.swapaxes(outputs, 0, 1), states if mask is None else states[:-1]


def _either(plain: Any, formula: Any, mask: int) -> Any:
    """The sequence op; with a mask, which it does not take, a loop."""
    return lambda *args: plain(*args) if args[mask] is None else formula(_loop, *args)


TABLE = {
    "ctc_loss": partial(recurrence.ctc_loss, _loop),
    "lstm": _either(lstm, recurrence.lstm, 6),
    "gru": _either(gru, recurrence.gru, 5),
    "simple_rnn": _either(simple_rnn, recurrence.simple_rnn, 5),
}
