"""`unique`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp


def _unique(x: Any, ordered: bool, index: bool, inverse: bool, counts: bool, axis: Any, size: Any, fill: Any) -> Any:
    return jnp.unique(
        x, return_index=index, return_inverse=inverse, return_counts=counts, axis=axis, size=size, fill_value=fill
    )


TABLE = {"unique": _unique}
