"""Kernels that read and write elements by position."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from kops.backends.jax.elementwise import traced
from kops.backends.kernel_tables import kernels
from kops.item_keys import canonical_key, entries_of, is_plain, item_shape


def _take(x: Any, indices: Any, axis: Any = None) -> Any:
    if axis is not None and not x.size and not indices.size:  # jnp.take gives back x in the shape it had
        axis %= x.ndim
        return jnp.zeros((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), x.dtype)
    return jnp.take(x, indices, axis=axis)


@partial(jax.jit, static_argnums=(2, 3))
def _part(x: Any, starts: Any, lengths: Any, shape: Any) -> Any:
    return lax.dynamic_slice(x, starts, lengths).reshape(shape)


def _get_item(x: Any, key: Any) -> Any:
    if is_plain(key) and not traced(x):
        # Compiled once for all positions; x[key] takes ten times as long.
        shape = item_shape(x.shape, key)
        axes = [e for e in entries_of(key, x.ndim) if e is not None]
        spans = [range(d)[e] if isinstance(e, slice) else range(d)[e:][:1] for e, d in zip(axes, x.shape)]
        if all(r.step == 1 for r in spans):
            return _part(x, [r.start for r in spans], tuple(map(len, spans)), shape)
    key = canonical_key(key)
    if any(isinstance(e, int) or getattr(e, "size", 1) == 0 for e in (key if type(key) is tuple else (key,))):
        item_shape(x.shape, key)  # jax clamps ints that are out of range, and takes empty masks for any axis
    return x[key]


def _starts(x: Any, starts: Any, lengths: Any) -> Any:
    if not hasattr(starts, "shape"):
        for axis, (s, n) in enumerate(zip(starts, lengths)):  # jax clamps
            if isinstance(s, int) and not 0 <= s <= x.shape[axis] - max(n, 0):
                raise ValueError(f"A slice from {s} of length {n} leaves axis {axis} of length {x.shape[axis]}.")
    return starts


def _slice(x: Any, starts: Any, shape: Any) -> Any:
    starts = _starts(x, starts, shape)
    if isinstance(starts, (tuple, list)) and all(isinstance(s, int) for s in starts):
        lengths = tuple([d - s if n == -1 else n for s, n, d in zip(starts, shape, x.shape)])
        return _part(x, starts, lengths, lengths)
    return lax.dynamic_slice(x, starts, shape)


_updated = jax.jit(lax.dynamic_update_slice)


def _slice_update(x: Any, starts: Any, updates: Any) -> Any:
    return _updated(x, updates, _starts(x, starts, updates.shape))


def _columns(indices: Any) -> tuple[Any, ...]:
    return tuple(jnp.moveaxis(indices, -1, 0))


def _scatter(indices: Any, values: Any, shape: Any) -> Any:
    return jnp.zeros(shape, values.dtype).at[_columns(indices)].add(values)


def _scatter_update(x: Any, indices: Any, updates: Any, reduction: Any) -> Any:
    at = x.at[_columns(indices)]
    return getattr(at, {None: "set", "mul": "multiply"}.get(reduction, reduction))(updates)


def _one_hot(x: Any, num_classes: int, axis: int, dtype: Any, sparse: bool) -> Any:
    if not sparse:
        return jax.nn.one_hot(x, num_classes, dtype=dtype, axis=axis)
    from jax.experimental import sparse as jax_sparse

    axis = axis + x.ndim + 1 if axis < 0 else axis
    positions = list(jnp.indices(x.shape, dtype="int32"))
    positions.insert(axis, jnp.asarray(x, "int32"))
    indices = jnp.stack([p.ravel() for p in positions], axis=-1)
    inside = (x.ravel() >= 0) & (x.ravel() < num_classes)
    shape = (*x.shape[:axis], num_classes, *x.shape[axis:])
    return jax_sparse.BCOO((inside.astype(dtype), indices), shape=shape)


def _to_sparse(x: Any) -> Any:
    from kops.backends.jax.sparse import sparse

    return sparse(x, (x,))


TABLE = {
    **kernels(_get_item, _take, _slice, _slice_update, _scatter, _scatter_update, _one_hot),
    "_to_sparse": _to_sparse,
    "take_along_axis": jnp.take_along_axis,
    "nonzero": lambda x: tuple(i.astype("int32") for i in jnp.nonzero(x)),
}
