"""Kernels that arrange elements anew."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from kops.backends.kernel_tables import native
from kops.dims import cuts, full, pad_pairs, repeats_of, target


def _pad(x: Any, pad_width: Any, mode: str, constant_values: Any) -> Any:
    pairs = pad_pairs(pad_width, x.ndim)
    if mode != "constant":
        return jnp.pad(x, pairs, mode=mode)
    return jnp.pad(x, pairs, constant_values=0 if constant_values is None else constant_values)


def _split(x: Any, sections: Any, axis: int) -> Any:
    if not isinstance(sections, int):  # jnp wants ascending positions
        length = x.shape[axis]
        places = [min(max(int(i) + length if i < 0 else int(i), 0), length) for i in sections]
        parts = cuts(places, length)
        return [lax.slice_in_dim(x, p.start, max(p.start, p.stop), axis=axis) for p in parts]
    return jnp.split(x, sections, axis)


def _tuple(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


TABLE = {
    **native(jnp, "ravel swapaxes concatenate stack tile"),
    "reshape": lambda x, newshape: jnp.reshape(x, target(newshape)),
    "transpose": lambda x, axes: jnp.transpose(x, _tuple(axes)),
    "moveaxis": lambda x, source, destination: jnp.moveaxis(x, _tuple(source), _tuple(destination)),
    "expand_dims": lambda x, axis: jnp.expand_dims(x, _tuple(axis)),
    "squeeze": lambda x, axis: jnp.squeeze(x, _tuple(axis)),
    "split": _split,
    "unstack": lambda x, num, axis: list(jnp.unstack(x, axis=axis)),
    "repeat": lambda x, repeats, axis: jnp.repeat(x, repeats_of(repeats), axis),
    "broadcast_to": lambda x, shape: jnp.broadcast_to(x, full(shape, x.shape)),
    "flip": lambda x, axis: jnp.flip(x, _tuple(axis)),
    "roll": lambda x, shift, axis: jnp.roll(x, _tuple(shift), _tuple(axis)),
    "pad": _pad,
}
