"""Kernels of products."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from kops.backends.kernel_tables import kernels
from kops.dims import as_tuple


def _accumulator(x: Any) -> Any:
    return jnp.int32 if x.dtype == jnp.int8 else None


def _matmul(x1: Any, x2: Any) -> Any:
    return jnp.matmul(x1, x2, preferred_element_type=_accumulator(x1))


def _tensordot(x1: Any, x2: Any, axes: Any) -> Any:
    return jnp.tensordot(x1, x2, axes if isinstance(axes, int) else tuple(as_tuple(a) for a in axes))


def _einsum(subscripts: str, operands: Any, kwargs: Any) -> Any:
    return jnp.einsum(subscripts, *operands, preferred_element_type=_accumulator(operands[0]))


TABLE = {
    **kernels(_matmul, _tensordot, _einsum),
    "correlate": lambda x1, x2, mode: jnp.correlate(x1, x2, mode),
    "vander": lambda x, n, increasing: (
        jnp.vander(x.astype("int32"), n, increasing).astype(bool) if x.dtype == bool else jnp.vander(x, n, increasing)
    ),
}
