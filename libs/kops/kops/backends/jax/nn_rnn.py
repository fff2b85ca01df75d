"""Recurrent kernels: `lax.scan`, compiled even when called eagerly."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from kops import recurrence


def _loop(step: Any, states: Any, sequence: Any, mask: Any) -> Any:
    xs = jnp.swapaxes(sequence, 0, 1)
    if mask is None:

        def advance(carry: Any, x: Any) -> Any:
            new = step(carry, x)
            return new, new[0]

        states, outputs = lax.scan(advance, list(states), xs)
    else:
        kept = recurrence.masked_step(step)

        def advance(carry: Any, x: Any) -> Any:
            new = kept(carry, *x)
            return new, new[-1]

        seen = jnp.swapaxes(mask, 0, 1)[..., None]
        (*states, _), outputs = lax.scan(advance, [*states, jnp.zeros_like(states[0])], (xs, seen))
    return jnp.swapaxes(outputs, 0, 1), states


TABLE = {
    "ctc_loss": jax.jit(partial(recurrence.ctc_loss, _loop), static_argnums=4),
    "lstm": jax.jit(partial(recurrence.lstm, _loop), static_argnums=7),
    "gru": jax.jit(partial(recurrence.gru, _loop), static_argnums=(6, 7)),
    "simple_rnn": jax.jit(partial(recurrence.simple_rnn, _loop), static_argnums=(6, 7)),
}
