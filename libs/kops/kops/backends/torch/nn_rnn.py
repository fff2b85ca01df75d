"""Recurrent kernels: PyTorch's fused ones where nothing is masked, else a Python loop."""

from __future__ import annotations

from typing import Any

import torch

from kops import recurrence

_LAYOUT = (True, 1, 0.0, False, False, True)  # biases, one layer, no dropout, inference, one direction, batch first


def loop(step: Any, states: Any, sequence: Any, mask: Any) -> Any:
    outputs = []
    last = torch.zeros_like(states[0])
    kept = recurrence.masked_step(step)
    for t in range(sequence.shape[1]):
        if mask is None:
            states = step(states, sequence[:, t])
            last = states[0]
        else:
            *states, last = kept([*states, last], sequence[:, t], mask[:, t, None])
        outputs.append(last)
    if not outputs:
        return sequence.new_zeros((sequence.shape[0], 0, states[0].shape[-1])), states
    return torch.stack(outputs, 1), states


def _fusible(mask: Any, inputs: Any, *others: Any) -> bool:
    # On the CPU the fused kernels are for float32 and float64; none takes an empty sequence, or torch.func.vmap.
    exact = inputs.dtype in (torch.float32, torch.float64) or inputs.is_cuda
    return mask is None and exact and inputs.numel() > 0 and not any(map(_mapped, (inputs, *others)))


def _mapped(x: Any) -> bool:
    while not torch.compiler.is_compiling() and torch._C._functorch.is_functorch_wrapped_tensor(x):
        if torch._C._functorch.is_batchedtensor(x):
            return True
        x = torch._C._functorch.get_unwrapped(x)
    return False


def _weights(kernel: Any, recurrent_kernel: Any, bias: Any, recurrent_bias: Any) -> list[Any]:
    zeros = kernel.new_zeros(kernel.shape[-1])
    return [
        kernel.t(),
        recurrent_kernel.t(),
        zeros if bias is None else bias,
        zeros if recurrent_bias is None else recurrent_bias,
    ]


def lstm(inputs: Any, h0: Any, c0: Any, kernel: Any, recurrent_kernel: Any, bias: Any, mask: Any, reverse: bool) -> Any:
    if not _fusible(mask, inputs, h0, c0, kernel, recurrent_kernel):
        return recurrence.lstm(loop, inputs, h0, c0, kernel, recurrent_kernel, bias, mask, reverse)
    recurrence.check(inputs, (h0, c0), kernel, recurrent_kernel, mask, 4)  # the kernel reads what is not there
    x = inputs.flip(1) if reverse else inputs
    weights = _weights(kernel, recurrent_kernel, bias, None)
    outputs, h, c = torch._VF.lstm(x, [h0[None], c0[None]], weights, *_LAYOUT)
    return [outputs, h[0], c[0]]


def gru(
    inputs: Any, h0: Any, kernel: Any, recurrent_kernel: Any, bias: Any, mask: Any, reverse: bool, reset_after: bool
) -> Any:
    if not (reset_after and _fusible(mask, inputs, h0, kernel, recurrent_kernel)):
        return recurrence.gru(loop, inputs, h0, kernel, recurrent_kernel, bias, mask, reverse, reset_after)
    recurrence.check(inputs, (h0,), kernel, recurrent_kernel, mask, 3)
    x = inputs.flip(1) if reverse else inputs

    def reordered(w: Any) -> Any:  # PyTorch has the reset gate first
        z, r, n = w.chunk(3, -1)
        return torch.cat([r, z, n], -1)

    here, there = (None, None) if bias is None else map(reordered, bias)
    weights = _weights(reordered(kernel), reordered(recurrent_kernel), here, there)
    outputs, h = torch._VF.gru(x, h0[None], weights, *_LAYOUT)
    return [outputs, h[0]]


def simple_rnn(
    inputs: Any, h0: Any, kernel: Any, recurrent_kernel: Any, bias: Any, mask: Any, reverse: bool, activation: str
) -> Any:
    if not _fusible(mask, inputs, h0, kernel, recurrent_kernel):
        return recurrence.simple_rnn(loop, inputs, h0, kernel, recurrent_kernel, bias, mask, reverse, activation)
    recurrence.check(inputs, (h0,), kernel, recurrent_kernel, mask, 1)
    recurrence.check_activation(activation)
    x = inputs.flip(1) if reverse else inputs
    run = torch._VF.rnn_tanh if activation == "tanh" else torch._VF.rnn_relu
    outputs, h = run(x, h0[None], _weights(kernel, recurrent_kernel, bias, None), *_LAYOUT)
    return [outputs, h[0]]


TABLE = {"lstm": lstm, "gru": gru, "simple_rnn": simple_rnn}
