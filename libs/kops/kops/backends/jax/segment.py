"""Kernels of segment reductions."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def _segment(native: Any) -> Any:
    def kernel(data: Any, ids: Any, num: Any, ordered: bool) -> Any:
        if num is not None:
            ids = jnp.where(ids < 0, num, ids)  # a scatter would count them from the end
        return native(data, ids, num_segments=num, indices_are_sorted=ordered and num is None)

    return kernel


TABLE = {
    "segment_sum": _segment(jax.ops.segment_sum),
    "segment_max": _segment(jax.ops.segment_max),
    "segment_min": _segment(jax.ops.segment_min),
    "segment_prod": _segment(jax.ops.segment_prod),
}
