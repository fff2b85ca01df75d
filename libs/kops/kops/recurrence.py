"""Recurrences written once; engines bring the loop.

Inputs of all steps are multiplied with the kernel in one product before the loop, which only multiplies the state.

A loop is `loop(step, states, sequence, mask)`: `sequence` is `(batch, steps, ...)`, `step(states, x)` gives the next
states of which the first is the output, and the result is `(outputs, states)` with outputs `(batch, steps, units)`.
"""

from __future__ import annotations

from typing import Any, Callable

import kops
from kops.shapes import agree

Loop = Callable[..., Any]


def check(
    inputs: Any,
    states: Any,
    kernel: Any,
    recurrent_kernel: Any,
    mask: Any,
    gates: int,
    bias: Any = None,
    bias_rows: int = 1,
) -> tuple[Any, ...]:
    """The shapes of outputs and states; `ValueError` for arguments that do not fit."""
    if len(inputs.shape) != 3:
        raise ValueError(f"inputs must be (batch, steps, features), not {tuple(inputs.shape)}.")
    batch, steps, features = inputs.shape
    units = recurrent_kernel.shape[0]

    def expect(what: str, value: Any, *wanted: int | None) -> None:
        if not agree(value.shape, wanted):
            raise ValueError(f"{what} must have shape {wanted}, not {tuple(value.shape)}.")

    width = None if units is None else gates * units
    expect("kernel", kernel, features, width)
    expect("recurrent_kernel", recurrent_kernel, units, width)
    if bias is not None:
        expect("bias", bias, *([2] if bias_rows == 2 else []), width)
    for state in states:
        expect("a state", state, batch, units)
    if mask is not None:
        expect("mask", mask, batch, steps)
    return (batch, steps, units), (batch, units)


def check_activation(activation: str) -> None:
    if activation not in ("tanh", "relu"):
        raise ValueError(f"activation must be 'tanh' or 'relu', not {activation!r}.")


def _run(
    loop: Loop, step: Any, first: list[Any], inputs: Any, kernel: Any, bias: Any, mask: Any, reverse: bool
) -> list[Any]:
    """What `step` makes of all inputs, which meet their kernel at once, and the last states."""
    if reverse:
        inputs, mask = kops.flip(inputs, axis=1), mask if mask is None else kops.flip(mask, axis=1)
    sequence = kops.matmul(inputs, kernel)
    outputs, states = loop(step, first, sequence if bias is None else sequence + bias, mask)
    return [outputs, *states]


def masked_step(step: Callable[..., Any]) -> Callable[..., Any]:
    """`step` that keeps states, the last of which is the output so far, where `seen` (batch, 1) is False."""

    def kept(states: Any, x: Any, seen: Any) -> Any:
        *own, output = states
        new = step(own, x)
        return [*(kops.where(seen, n, o) for n, o in zip(new, own)), kops.where(seen, new[0], output)]

    return kept


def lstm(
    loop: Loop, inputs: Any, h0: Any, c0: Any, kernel: Any, recurrent_kernel: Any, bias: Any, mask: Any, reverse: bool
) -> list[Any]:

    def step(states: Any, x: Any) -> Any:
        h, c = states
        i, f, g, o = kops.split(x + kops.matmul(h, recurrent_kernel), 4, axis=-1)
        c = kops.sigmoid(f) * c + kops.sigmoid(i) * kops.tanh(g)
        return [kops.sigmoid(o) * kops.tanh(c), c]

    return _run(loop, step, [h0, c0], inputs, kernel, bias, mask, reverse)


def gru(
    loop: Loop,
    inputs: Any,
    h0: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    mask: Any,
    reverse: bool,
    reset_after: bool,
) -> list[Any]:
    units = h0.shape[-1]
    gates, candidate = recurrent_kernel[:, : 2 * units], recurrent_kernel[:, 2 * units :]
    here = bias[0] if reset_after and bias is not None else bias
    there = bias[1] if reset_after and bias is not None else None

    def step(states: Any, x: Any) -> Any:
        (h,) = states
        xz, xr, xn = kops.split(x, 3, axis=-1)
        if reset_after:
            recurrent = kops.matmul(h, recurrent_kernel)
            if there is not None:
                recurrent = recurrent + there
            hz, hr, hn = kops.split(recurrent, 3, axis=-1)
            n = kops.tanh(xn + kops.sigmoid(xr + hr) * hn)
        else:
            hz, hr = kops.split(kops.matmul(h, gates), 2, axis=-1)
            n = kops.tanh(xn + kops.matmul(kops.sigmoid(xr + hr) * h, candidate))
        z = kops.sigmoid(xz + hz)
        return [z * h + (1 - z) * n]

    return _run(loop, step, [h0], inputs, kernel, here, mask, reverse)


def simple_rnn(
    loop: Loop,
    inputs: Any,
    h0: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    mask: Any,
    reverse: bool,
    activation: str,
) -> list[Any]:
    act = kops.tanh if activation == "tanh" else kops.relu

    def step(states: Any, x: Any) -> Any:
        return [act(x + kops.matmul(states[0], recurrent_kernel))]

    return _run(loop, step, [h0], inputs, kernel, bias, mask, reverse)


def ctc_loss(loop: Loop, target: Any, output: Any, target_length: Any, output_length: Any, mask_index: int) -> Any:
    """The forward algorithm of CTC: one step per output, over the labels with blanks around them."""
    impossible = -1e5
    logs = kops.log_softmax(output, axis=-1)
    blanks = kops.full_like(target, mask_index)
    pairs = kops.concatenate([kops.expand_dims(blanks, 2), kops.expand_dims(target, 2)], axis=2)
    batch, labels = kops.shape(target)
    blank = kops.expand_dims(kops.full_like(target_length, mask_index), 1)  # also where there are no labels
    extended = kops.concatenate([kops.reshape(pairs, [batch, 2 * labels]), blank], axis=1)
    # A label may follow another without a blank if it is a different one.
    jump = kops.logical_and(extended[:, 2:] != extended[:, :-2], extended[:, 2:] != mask_index)
    steps = output.shape[1]
    place = kops.repeat(kops.expand_dims(extended, 1), steps, axis=1)
    sequence = kops.take_along_axis(logs, place, axis=2)
    out_of_reach = kops.full_like(sequence[:, 0, :], impossible)
    start = kops.concatenate([out_of_reach[:, :1] * 0.0, out_of_reach[:, 1:]], axis=1)

    def step(states: Any, x: Any) -> Any:
        (stay,) = states
        move = kops.concatenate([out_of_reach[:, :1], stay[:, :-1]], axis=1)
        skip = kops.where(jump, stay[:, :-2], out_of_reach[:, 2:])
        skip = kops.concatenate([out_of_reach[:, :2], skip], axis=1)
        return [kops.logaddexp(kops.logaddexp(stay, move), skip) + x]

    ones = kops.cumsum(kops.ones_like(sequence[:, :, 0], dtype="int32"), axis=1)
    _, (final,) = loop(step, [start], sequence, ones <= kops.expand_dims(output_length, 1))
    last = kops.expand_dims(2 * target_length, 1)
    blank_end = kops.take_along_axis(final, last, axis=1)
    label_end = kops.take_along_axis(final, kops.maximum(last - 1, 0), axis=1)
    label_end = kops.where(last > 0, label_end, kops.full_like(label_end, impossible))
    return -kops.logaddexp(blank_end, label_end)[:, 0]
