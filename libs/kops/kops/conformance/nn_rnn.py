"""Rows of the recurrences."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from kops.conformance.rows import F, L, case, row


def _recur(step: Any, inputs: Any, states: Any, mask: Any, reverse: bool) -> list[Any]:
    """Sample by sample, step by step."""
    samples = []
    for b in range(inputs.shape[0]):
        own = [s[b] for s in states]
        outputs, last = [], np.zeros_like(own[0])
        order = range(inputs.shape[1])
        for t in reversed(order) if reverse else order:
            if mask is None or mask[b, t]:
                own = step(own, inputs[b, t])
                last = own[0]
            outputs.append(last)
        samples.append([np.array(outputs), *own])
    return [np.array(parts) for parts in zip(*samples)]


def _lstm(x: Any, h0: Any, c0: Any, w: Any, u: Any, bias: Any = None, mask: Any = None, reverse: bool = False) -> Any:
    def step(states: Any, x: Any) -> Any:
        h, c = states
        i, f, g, o = np.split(x @ w + h @ u + (0 if bias is None else bias), 4)
        c = expit(f) * c + expit(i) * np.tanh(g)
        return [expit(o) * np.tanh(c), c]

    return _recur(step, x, [h0, c0], mask, reverse)


def _gru(
    x: Any, h0: Any, w: Any, u: Any, bias: Any = None, mask: Any = None, reverse: bool = False, reset_after: bool = True
) -> Any:
    n = h0.shape[1]
    bias = np.zeros((2, 3 * n) if reset_after else 3 * n) if bias is None else bias

    def step(states: Any, x: Any) -> Any:
        (h,) = states
        a = x @ w + (bias[0] if reset_after else bias)
        b = bias[1] if reset_after else np.zeros(3 * n)
        z, r = expit(a[: 2 * n] + h @ u[:, : 2 * n] + b[: 2 * n]).reshape(2, n)
        new = r * (h @ u[:, 2 * n :] + b[2 * n :]) if reset_after else (r * h) @ u[:, 2 * n :]
        return [z * h + (1 - z) * np.tanh(a[2 * n :] + new)]

    return _recur(step, x, [h0], mask, reverse)


def _simple(
    x: Any, h0: Any, w: Any, u: Any, bias: Any = None, mask: Any = None, reverse: bool = False, activation: str = "tanh"
) -> Any:
    act = np.tanh if activation == "tanh" else lambda v: np.maximum(v, 0)
    step = lambda s, x: [act(x @ w + s[0] @ u + (0 if bias is None else bias))]
    return _recur(step, x, [h0], mask, reverse)


_MASK = L(np.array([[False, True, True, False], [True, True, False, False]]))
_HALVES = ("float32", "float16", "bfloat16")

ROWS = [
    row(
        "lstm",
        F(2, 4, 3),
        F(2, 5),
        F(2, 5),
        F(3, 20),
        F(5, 20),
        F(20),
        ref=_lstm,
        grad=True,
        dtypes=_HALVES,
        dynamic="first",
        bad=[
            case(F(2, 4, 3), F(2, 5), F(2, 5), F(3, 19), F(5, 20), match="kernel must have shape"),
            case(F(2, 4, 3), F(2, 4), F(2, 5), F(3, 20), F(5, 20), match="state must have shape"),
            case(F(2, 3), F(2, 5), F(2, 5), F(3, 20), F(5, 20), match="batch, steps, features"),
        ],
    ),
    row("lstm", F(2, 4, 3), F(2, 5), F(2, 5), F(3, 20), F(5, 20), reverse=True, ref=_lstm, grad=True, dynamic="first"),
    row("lstm", F(2, 4, 3), F(2, 5), F(2, 5), F(3, 20), F(5, 20), F(20), _MASK, ref=_lstm, grad=True, dynamic="first"),
    row("lstm", F(2, 4, 3), F(2, 5), F(2, 5), F(3, 20), F(5, 20), F(20), _MASK, True, ref=_lstm, dynamic="first"),
    row("gru", F(2, 4, 3), F(2, 5), F(3, 15), F(5, 15), F(2, 15), ref=_gru, grad=True, dtypes=_HALVES, dynamic="first"),
    row("gru", F(2, 4, 3), F(2, 5), F(3, 15), F(5, 15), reverse=True, ref=_gru, grad=True, dynamic="first"),
    row("gru", F(2, 4, 3), F(2, 5), F(3, 15), F(5, 15), F(15), reset_after=False, ref=_gru, grad=True, dynamic="first"),
    row("gru", F(2, 4, 3), F(2, 5), F(3, 15), F(5, 15), F(2, 15), _MASK, ref=_gru, grad=True, dynamic="first"),
    row(
        "simple_rnn",
        F(2, 4, 3),
        F(2, 5),
        F(3, 5),
        F(5, 5),
        F(5),
        ref=_simple,
        grad=True,
        dtypes=_HALVES,
        dynamic="first",
        bad=[case(F(2, 4, 3), F(2, 5), F(3, 5), F(5, 5), activation="sine", match="activation")],
    ),
    row(
        "simple_rnn",
        F(2, 4, 3),
        F(2, 5),
        F(3, 5),
        F(5, 5),
        activation="relu",
        reverse=True,
        ref=_simple,
        grad=True,
        dynamic="first",
        tol=1e-4,
    ),
    row("simple_rnn", F(2, 4, 3), F(2, 5), F(3, 5), F(5, 5), F(5), _MASK, ref=_simple, grad=True, dynamic="first"),
]
