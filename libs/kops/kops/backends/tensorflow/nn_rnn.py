"""Recurrent kernels: `tf.while_loop` over a TensorArray."""

from __future__ import annotations

from functools import partial
from typing import Any

import tensorflow as tf

from kops import recurrence


def _loop(step: Any, states: Any, sequence: Any, mask: Any) -> Any:
    steps = sequence.shape[1]
    count = tf.shape(sequence)[1] if steps is None else steps
    xs = tf.transpose(sequence, [1, 0, 2])
    seen = None if mask is None else tf.transpose(mask)[:, :, None]
    kept = recurrence.masked_step(step)
    units = states[0].shape[-1]
    outputs = tf.TensorArray(sequence.dtype, size=count, element_shape=[sequence.shape[0], units])

    def advance(t: Any, array: Any, last: Any, *own: Any) -> Any:
        if seen is None:
            own = step(list(own), xs[t])
            last = own[0]
        else:
            *own, last = kept([*own, last], xs[t], seen[t])
        return (t + 1, array.write(t, last), last, *own)

    batch = sequence.shape[0]
    states = [tf.ensure_shape(s, [batch, units]) for s in states]
    start = (tf.constant(0), outputs, tf.zeros_like(states[0]), *states)
    _, outputs, _, *states = tf.while_loop(
        lambda t, *_: t < count, advance, start, maximum_iterations=count, parallel_iterations=1
    )
    return tf.ensure_shape(tf.transpose(outputs.stack(), [1, 0, 2]), [batch, steps, units]), states


TABLE = {
    "ctc_loss": partial(recurrence.ctc_loss, _loop),
    "lstm": partial(recurrence.lstm, _loop),
    "gru": partial(recurrence.gru, _loop),
    "simple_rnn": partial(recurrence.simple_rnn, _loop),
}
