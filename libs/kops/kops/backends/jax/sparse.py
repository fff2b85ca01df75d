"""`jax.experimental.sparse.BCOO` arguments: what JAX computes without making them dense."""

from __future__ import annotations

import math
from typing import Any, Callable

import jax.numpy as jnp
from jax.core import Tracer
from jax.experimental import sparse as jax_sparse
from jax.experimental.sparse import BCOO

from kops.backends.kernel_tables import kernels
from kops.shapes import broadcast_shapes, reduced_shape, standardize_axes
from kops.sparse_rules import is_sparse


def dense(x: BCOO) -> Any:
    if x.dtype == bool:  # which JAX cannot add up
        return _like(x, x.data.astype("uint8")).todense().astype(bool)
    return x.todense()


def sparse(x: Any, like: Any = ()) -> BCOO:
    """In compiled code the number of elements must be known: as many as there may be."""
    stored = None
    if isinstance(x, Tracer):
        stored = sum(a.nse for a in like if is_sparse(a)) if all(map(is_sparse, like)) else math.prod(x.shape)
        stored = min(max(stored, 0), math.prod(x.shape))
        if any(is_sparse(a) and a.shape != x.shape for a in like):
            stored = math.prod(x.shape)
    return BCOO.fromdense(x, nse=stored)


def with_values(x: BCOO, change: Callable[[Any], Any]) -> BCOO:
    if not x.unique_indices:
        x = x.sum_duplicates(nse=x.nse)
    return _like(x, change(x.data))


def _like(x: BCOO, data: Any) -> BCOO:
    return BCOO((data, x.indices), shape=x.shape, indices_sorted=x.indices_sorted, unique_indices=x.unique_indices)


def _add(x: Any, y: Any) -> Any:
    if not (is_sparse(x) and is_sparse(y)) or x.shape != y.shape:
        return None
    x, y = jax_sparse.bcoo_update_layout(x, n_batch=0), jax_sparse.bcoo_update_layout(y, n_batch=0)
    joined = BCOO((jnp.concatenate([x.data, y.data]), jnp.concatenate([x.indices, y.indices])), shape=x.shape)
    return joined.sum_duplicates(nse=joined.nse)


def _multiply(x: Any, y: Any) -> Any:
    """The dense factor is read where the sparse one has elements: what is missing stays so, even times infinity."""
    if is_sparse(x) and is_sparse(y):
        return None
    factor, x = (y, x) if is_sparse(x) else (x, y)
    factor = jnp.asarray(factor, x.dtype)
    if factor.ndim == 0:
        return _like(x, x.data * factor)
    if factor.ndim > x.ndim or broadcast_shapes(x.shape, factor.shape) != x.shape:
        return None
    x = jax_sparse.bcoo_update_layout(x, n_batch=0, n_dense=0)
    shift = x.ndim - factor.ndim
    places = [0 if n == 1 else x.indices[:, shift + i] for i, n in enumerate(factor.shape)]
    # Places beyond the end are those of elements that are not there.
    return _like(x, x.data * factor.at[tuple(places)].get(mode="fill", fill_value=0))


def _divide(x: Any, y: Any) -> Any:
    return _like(x, x.data / y) if isinstance(y, (int, float)) and y and is_sparse(x) else None


def _matmul(x: Any, y: Any) -> Any:
    return None if is_sparse(x) and is_sparse(y) else x @ y


def _sum(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    out = jax_sparse.bcoo_reduce_sum(x, axes=standardize_axes(axis, x.ndim))
    return out.reshape(reduced_shape(x.shape, axis, True)) if keepdims else out


def _expand_dims(x: Any, axis: Any) -> Any:
    axes = axis if isinstance(axis, (tuple, list)) else [axis]
    places = standardize_axes(axis, x.ndim + len(axes))
    sizes = iter(x.shape)
    shape = [1 if i in places else next(sizes) for i in range(x.ndim + len(axes))]
    return x.reshape(shape)


def _squeeze(x: Any, axis: Any = None) -> Any:
    ones = [i for i, d in enumerate(x.shape) if d == 1] if axis is None else standardize_axes(axis, x.ndim)
    return x.reshape([d for i, d in enumerate(x.shape) if i not in ones])


def _concatenate(xs: Any, axis: int = 0) -> Any:
    if not all(map(is_sparse, xs)):
        return None
    return jax_sparse.bcoo_concatenate(list(xs), dimension=axis % xs[0].ndim)


TABLE: dict[str, Any] = {
    **kernels(_add, _concatenate, _divide, _expand_dims, _matmul, _multiply, _squeeze, _sum),
    "reshape": lambda x, shape: x.reshape(tuple(shape)),
    "subtract": lambda x, y: _add(x, _like(y, -y.data)) if is_sparse(y) else None,
    "transpose": lambda x, axes=None: x.transpose(axes),
    "true_divide": _divide,
}
