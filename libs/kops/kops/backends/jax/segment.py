"""Kernels of segment reductions."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from kops.backends.kernel_tables import native


def _segment(native: Any) -> Any:
    def kernel(data: Any, ids: Any, num: Any, ordered: bool) -> Any:
        if num is None and not ids.size:
            num = 0
        if num is not None:
            ids = jnp.where(ids < 0, num, ids)  # a scatter would count them from the end
        return native(data, ids, num_segments=num, indices_are_sorted=ordered and num is None)

    return kernel


def _prod(data: Any, ids: Any, num: Any, ordered: bool) -> Any:
    """A product of each run of equal ids: JAX's scattered product has no gradient where ids repeat."""
    if not jnp.issubdtype(data.dtype, jnp.inexact) or not ids.size:
        return _segment(jax.ops.segment_prod)(data, ids, num, ordered)
    n = (int(ids.max()) + 1 if ids.size else 0) if num is None else num
    order = jnp.argsort(ids)
    ids, data = ids[order], data[order]
    changes = ids[1:] != ids[:-1]
    edge = jnp.ones((1,), bool)
    starts = jnp.concatenate([edge, changes]).reshape((-1,) + (1,) * (data.ndim - 1))

    def join(a: Any, b: Any) -> Any:
        return a[0] | b[0], jnp.where(b[0], b[1], a[1] * b[1])

    products = lax.associative_scan(join, (starts, data))[1]
    inside = jnp.concatenate([changes, edge]) & (ids >= 0) & (ids < n)
    out = jnp.ones((n, *data.shape[1:]), data.dtype)
    return out.at[jnp.where(inside, ids, n)].set(products, mode="drop")


TABLE = {**native(jax.ops, "segment_sum segment_max segment_min", _segment), "segment_prod": _prod}
