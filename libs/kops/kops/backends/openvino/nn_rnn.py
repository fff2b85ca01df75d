"""Recurrent graph kernels: OpenVINO's sequence ops, which have one direction per weight matrix and gates in rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino.opset16 as opset

from kops.backends.openvino.core import GraphTensor, node


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
    build: Any, inputs: Any, states: Any, kernel: Any, recurrent_kernel: Any, bias: Any, mask: Any, order: list[int],
    reverse: bool,
) -> list[GraphTensor]:  # fmt: skip
    if mask is not None:
        raise NotImplementedError(
            "OpenVINO's recurrent ops take no mask; run the model without jit, or without mask."
        )
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


def lstm(
    inputs: Any, h0: Any, c0: Any, kernel: Any, recurrent_kernel: Any, bias: Any, mask: Any, reverse: bool
) -> Any:
    units = recurrent_kernel.shape[0]
    order = [1, 0, 2, 3]
    given = node(bias) if bias is not None else _zeros(4 * units, kernel)

    def build(x: Any, states: Any, lengths: Any, w: Any, r: Any, b: Any, direction: str) -> Any:
        return opset.lstm_sequence(x, *states, lengths, w, r, b, units, direction)

    b = _bias([given], order, units)
    return _run(build, inputs, (h0, c0), kernel, recurrent_kernel, b, mask, order, reverse)


def gru(
    inputs: Any,
    h0: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    mask: Any,
    reverse: bool,
    reset_after: bool,
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
        return opset.gru_sequence(
            x, *states, lengths, w, r, b, units, direction, linear_before_reset=reset_after
        )

    return _run(build, inputs, (h0,), kernel, recurrent_kernel, b, mask, order, reverse)


def simple_rnn(
    inputs: Any,
    h0: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    mask: Any,
    reverse: bool,
    activation: str,
) -> Any:
    units = recurrent_kernel.shape[0]
    given = node(bias) if bias is not None else _zeros(units, kernel)

    def build(x: Any, states: Any, lengths: Any, w: Any, r: Any, b: Any, direction: str) -> Any:
        return opset.rnn_sequence(x, *states, lengths, w, r, b, units, direction, activations=[activation])

    return _run(
        build, inputs, (h0,), kernel, recurrent_kernel, _bias([given], [0], units), mask, [0], reverse
    )


TABLE = {"lstm": lstm, "gru": gru, "simple_rnn": simple_rnn}
