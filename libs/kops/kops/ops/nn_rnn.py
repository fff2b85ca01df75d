"""Whole recurrences in one op, for the layers: what an engine has fused, it can use.

All take `(batch, steps, features)` and give the outputs of every step `(batch, steps, units)` in the order in which
they were computed (reversed when `reverse`), then the last states. A masked step keeps the states and repeats the
output before it (zeros, if there is none).
"""

from __future__ import annotations

from typing import Any

from kops import dtypes, promote, recurrence, shapes
from kops.declare import Tensor, primitive
from kops.dtypes import result_type


def _dtypes(count: int) -> Any:
    def rule(*ds: Any) -> Any:
        *values, mask = ds
        dtype = dtypes.to_inexact(result_type(*(d for d in values if d is not None)))
        return (*(d and dtype for d in values), mask and "bool"), (dtype,) * count

    return rule


def _lstm_shape(
    inputs: Any, h0: Any, c0: Any, kernel: Any, recurrent_kernel: Any, bias: Any, mask: Any, reverse: bool
) -> list[shapes.Shape]:
    outputs, state = recurrence.check(inputs, (h0, c0), kernel, recurrent_kernel, mask, 4, bias)
    return [outputs, state, state]


@primitive(dtype=promote.real(_dtypes(3)), shape=_lstm_shape, checked=True)
def lstm(
    inputs: Tensor,
    h0: Tensor,
    c0: Tensor,
    kernel: Tensor,
    recurrent_kernel: Tensor,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    reverse: bool = False,
) -> Any:
    """Long short-term memory with sigmoid gates and tanh.

    Args:
        inputs: `(batch, steps, features)`.
        h0, c0: `(batch, units)`, the output and cell state before the first step.
        kernel: `(features, 4 * units)`, the columns of the input gate, forget gate, cell and output gate.
        recurrent_kernel: `(units, 4 * units)`.
        bias: `(4 * units,)`.
        mask: bool `(batch, steps)`, False for steps to leave out.
        reverse: go from the last step to the first.

    Returns:
        `[outputs, h, c]`, of shapes `(batch, steps, units)`, `(batch, units)`, `(batch, units)`.

    Reference: [Hochreiter and Schmidhuber, 1997](https://doi.org/10.1162/neco.1997.9.8.1735)
    """


def _gru_shape(
    inputs: Any, h0: Any, kernel: Any, recurrent_kernel: Any, bias: Any, mask: Any, reverse: bool, reset_after: bool
) -> list[shapes.Shape]:
    return list(recurrence.check(inputs, (h0,), kernel, recurrent_kernel, mask, 3, bias, 1 + bool(reset_after)))


@primitive(dtype=promote.real(_dtypes(2)), shape=_gru_shape, checked=True)
def gru(
    inputs: Tensor,
    h0: Tensor,
    kernel: Tensor,
    recurrent_kernel: Tensor,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    reverse: bool = False,
    reset_after: bool = True,
) -> Any:
    """Gated recurrent unit with sigmoid gates and tanh.

    Args:
        inputs: `(batch, steps, features)`.
        h0: `(batch, units)`, the state before the first step.
        kernel: `(features, 3 * units)`, the columns of the update gate, reset gate and candidate.
        recurrent_kernel: `(units, 3 * units)`.
        bias: `(3 * units,)`; with `reset_after` `(2, 3 * units)`, for the inputs and for the state.
        mask: bool `(batch, steps)`, False for steps to leave out.
        reverse: go from the last step to the first.
        reset_after: apply the reset gate after the state has been multiplied, not before.

    Returns:
        `[outputs, h]`, of shapes `(batch, steps, units)` and `(batch, units)`.

    Reference: [Cho et al., 2014](https://arxiv.org/abs/1406.1078)
    """


def _simple_shape(
    inputs: Any, h0: Any, kernel: Any, recurrent_kernel: Any, bias: Any, mask: Any, reverse: bool, activation: str
) -> list[shapes.Shape]:
    recurrence.check_activation(activation)
    return list(recurrence.check(inputs, (h0,), kernel, recurrent_kernel, mask, 1, bias))


@primitive(dtype=promote.real(_dtypes(2)), shape=_simple_shape, checked=True)
def simple_rnn(
    inputs: Tensor,
    h0: Tensor,
    kernel: Tensor,
    recurrent_kernel: Tensor,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    reverse: bool = False,
    activation: str = "tanh",
) -> Any:
    """`h = activation(inputs @ kernel + bias + h @ recurrent_kernel)`, step after step.

    Args:
        inputs: `(batch, steps, features)`.
        h0: `(batch, units)`, the state before the first step.
        kernel: `(features, units)`.
        recurrent_kernel: `(units, units)`.
        bias: `(units,)`.
        mask: bool `(batch, steps)`, False for steps to leave out.
        reverse: go from the last step to the first.
        activation: `"tanh"` or `"relu"`.

    Returns:
        `[outputs, h]`, of shapes `(batch, steps, units)` and `(batch, units)`.
    """
