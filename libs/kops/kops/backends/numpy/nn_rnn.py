"""Recurrent kernels: a Python loop."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from kops import recurrence


def _loop(step: Any, states: Any, sequence: Any, mask: Any) -> Any:
    batch, steps = sequence.shape[:2]
    outputs = np.zeros((batch, steps, states[0].shape[-1]), sequence.dtype)
    last: Any = np.zeros_like(states[0])
    kept = recurrence.masked_step(step)
    for t in range(steps):
        if mask is None:
            states = step(states, sequence[:, t])
            last = states[0]
        else:
            *states, last = kept([*states, last], sequence[:, t], mask[:, t, None])
        outputs[:, t] = last
    return outputs, states


TABLE = {
    "ctc_loss": partial(recurrence.ctc_loss, _loop),
    "lstm": partial(recurrence.lstm, _loop),
    "gru": partial(recurrence.gru, _loop),
    "simple_rnn": partial(recurrence.simple_rnn, _loop),
}
