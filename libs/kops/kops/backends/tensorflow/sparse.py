"""`tf.SparseTensor` arguments: what TensorFlow computes without making them dense."""

from __future__ import annotations

from typing import Any, Callable

import tensorflow as tf

from kops.backends.kernel_tables import kernels, native
from kops.shapes import broadcast_shapes, standardize_axes
from kops.sparse_rules import is_sparse


def dense(x: Any) -> Any:
    return tf.sparse.to_dense(tf.sparse.reorder(x))


def sparse(x: Any, like: Any = ()) -> tf.SparseTensor:
    if x.shape.rank == 0:  # which from_dense refuses
        return tf.SparseTensor(tf.zeros([1, 0], tf.int64), x[tf.newaxis], tf.zeros([0], tf.int64))
    return tf.sparse.from_dense(x)


def with_values(x: tf.SparseTensor, change: Callable[[Any], Any]) -> tf.SparseTensor:
    return x.with_values(change(x.values))


def _same_shape(x: Any, y: Any) -> bool:
    return is_sparse(x) and is_sparse(y) and x.shape.is_fully_defined() and x.shape == y.shape


def _union(build: Any) -> Any:
    return lambda x, y: build(x, y) if _same_shape(x, y) else None


def _multiply(x: Any, y: Any) -> Any:
    """The dense factor is read where the sparse one has elements: what is missing stays so, even times infinity."""
    if is_sparse(x) and is_sparse(y):
        return None
    factor, x = (y, x) if is_sparse(x) else (x, y)
    factor = tf.convert_to_tensor(factor, x.dtype)
    if factor.shape.rank == 0:
        return with_values(x, lambda values: values * factor)
    if factor.shape.rank > x.shape.rank or broadcast_shapes(x.shape, factor.shape) != tuple(x.shape):
        return None
    sizes = tf.shape(factor, tf.int64)
    places = x.indices[:, x.shape.rank - factor.shape.rank :]
    return with_values(x, lambda v: v * tf.gather_nd(factor, tf.where(sizes == 1, tf.zeros_like(places), places)))


def _divide(x: Any, y: Any) -> Any:
    return with_values(x, lambda v: v / y) if isinstance(y, (int, float)) and y and is_sparse(x) else None


def _matmul(x: Any, y: Any) -> Any:
    if len(x.shape) != 2 or len(y.shape) != 2 or (is_sparse(x) and is_sparse(y)):
        return None
    if is_sparse(x):
        return tf.sparse.sparse_dense_matmul(x, y)
    return tf.transpose(tf.sparse.sparse_dense_matmul(tf.sparse.transpose(y), tf.transpose(x)))


def _sum(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    axes = standardize_axes(axis, x.shape.rank)
    if len(axes) == x.shape.rank and not keepdims:
        return None
    shape = [1 if i in axes else d for i, d in enumerate(x.shape)]
    out = tf.sparse.reduce_sum(x, axes, keepdims=True, output_is_sparse=True)
    out.set_shape(shape)
    return out if keepdims else _squeeze(out, axes)


def _reshape(x: Any, shape: Any) -> Any:
    return tf.sparse.reshape(x, [-1 if d is None else d for d in shape])


def _squeeze(x: Any, axis: Any = None) -> Any:
    ones = [i for i, d in enumerate(x.shape) if d == 1] if axis is None else standardize_axes(axis, x.shape.rank)
    keep = [i for i in range(x.shape.rank) if i not in ones]
    out = tf.SparseTensor(tf.gather(x.indices, keep, axis=1), x.values, tf.gather(x.dense_shape, keep))
    out.set_shape([x.shape[i] for i in keep])
    return out


def _concatenate(xs: Any, axis: int = 0) -> Any:
    return tf.sparse.concat(axis, xs) if all(map(is_sparse, xs)) else None


def _expand_dims(x: Any, axis: Any) -> Any:
    for i in sorted(standardize_axes(axis, x.shape.rank + len(axis if isinstance(axis, (tuple, list)) else [0]))):
        x = tf.sparse.expand_dims(x, i)
    return x


TABLE = {
    **native(tf.sparse, "add maximum minimum", _union),
    **kernels(_concatenate, _divide, _expand_dims, _matmul, _multiply, _reshape, _squeeze, _sum),
    "subtract": _union(lambda x, y: tf.sparse.add(x, with_values(y, tf.negative))),
    "transpose": lambda x, axes=None: tf.sparse.transpose(x, axes),
    "true_divide": _divide,
}
