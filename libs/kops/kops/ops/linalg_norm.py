"""Norms and distances."""

from __future__ import annotations

import math
from typing import Any

import kops
from kops import config, dtypes, promote
from kops.declare import Tensor, composite
from kops.shapes import Shape, broadcast_shapes, reduced_shape, standardize_axes


def _norm_shape(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Shape:
    n = len(x.shape)
    axes = standardize_axes(axis, n)
    if axis is None and ord is not None and n not in (1, 2):
        raise ValueError(
            f"a norm of order {ord!r} over {n} dimensions needs `axis`: one for vectors, two for matrices."
        )
    if axis is not None and len(axes) not in (1, 2):
        raise ValueError(f"a norm is over one axis (vectors) or two (matrices); got axis {axis}.")
    if ord is not None:
        if not isinstance(ord, (str, int, float)):
            raise TypeError(f"the order of a norm is a number or a word, not {ord!r}.")
        if len(axes) == 1 and isinstance(ord, str):
            raise ValueError(f"the norm {ord!r} is of matrices; vectors have numbers as orders.")
        if len(axes) == 2 and ord not in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
            raise ValueError(f"matrix norms are 'fro', 'nuc', 1, -1, 2, -2, inf and -inf; got {ord!r}.")
    extreme = (math.inf, -math.inf) if len(axes) == 1 else (1, -1, 2, -2, math.inf, -math.inf)
    if not isinstance(ord, str) and ord in extreme and 0 in (x.shape[a] for a in axes):
        raise ValueError(f"the norm of order {ord} is of one element, of which shape {tuple(x.shape)} has none.")
    return reduced_shape(x.shape, axis, keepdims)


@composite("linalg", dtype=promote.statistic, shape=_norm_shape, checked=True)
def norm(x: Tensor, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norm of vectors or matrices. The gradient of the Euclidean norm at 0 is 0, not NaN.

    Args:
        x: tensor.
        ord: of vectors: a number `p` for `sum(|x|**p)**(1/p)`, inf, -inf, or 0 (how many are not 0); of matrices:
            `"fro"`, `"nuc"`, 1, -1, 2, -2, inf, -inf. None is the square root of the sum of squares.
        axis: one axis: vectors; two: matrices; None: the whole tensor.
        keepdims: keep the axes with length 1.
    """
    from kops.ops.elementwise_piecewise import flat_at_zero

    axes = standardize_axes(axis, len(x.shape))  # type: ignore[attr-defined]
    if ord is None or ord == "fro" or (ord == 2 and len(axes) == 1):
        return _euclidean(x, axes, keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, ord, axes, keepdims)
    if ord in (math.inf, -math.inf):
        return (kops.max if ord > 0 else kops.min)(kops.absolute(x), axis=axes, keepdims=keepdims)
    if ord == 0:
        dtype = promote.real_part(dtypes.standardize_dtype(x.dtype))
        return kops.sum(kops.cast(kops.not_equal(x, 0), dtype), axis=axes, keepdims=keepdims)
    if ord == 1:
        return kops.sum(kops.absolute(x), axis=axes, keepdims=keepdims)
    total = kops.sum(kops.power(kops.absolute(x), float(ord)), axis=axes, keepdims=keepdims)
    return flat_at_zero(lambda t: kops.power(t, 1.0 / ord), total)


def _euclidean(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    from kops.ops.elementwise_piecewise import flat_at_zero

    if dtypes.standardize_dtype(x.dtype).startswith("complex"):
        x = kops.absolute(x)
    return flat_at_zero(kops.sqrt, kops.sum(kops.square(x), axis=axes, keepdims=keepdims))


def _matrix_norm(x: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:

    x = kops.moveaxis(x, axes, (-2, -1))
    if ord in (2, -2, "nuc"):
        s = kops.svd(x, compute_uv=False)
        result = {2: kops.max, -2: kops.min, "nuc": kops.sum}[ord](s, axis=-1)
    else:
        lines = kops.sum(kops.absolute(x), axis=-2 if abs(ord) == 1 else -1)
        result = (kops.max if ord > 0 else kops.min)(lines, axis=-1)
    return kops.expand_dims(result, tuple(sorted(axes))) if keepdims else result


def _normalized(x: Any, axis: Any, order: Any) -> Shape:
    if not isinstance(order, int) or order < 1:
        raise ValueError(f"order is an int from 1 up; got {order!r}.")
    # 2 is the root of the sum of squares over any axes, never the largest singular value.
    _norm_shape(x, None if order == 2 else order, axis)
    return tuple(x.shape)


@composite("nn", dtype=promote.inexact, shape=_normalized, checked=True)
def normalize(x: Tensor, axis: Any = -1, order: Any = 2, epsilon: float | None = None) -> Any:
    """`x` divided by its norm along an axis.

    Args:
        x: tensor.
        axis: axis of the vectors.
        order: of the norm: an int from 1 up.
        epsilon: smallest divisor, `keras.config.epsilon()` by default.
    """
    length = norm(x, ord=None if order == 2 else order, axis=axis, keepdims=True)
    return kops.divide(x, kops.maximum(length, config.epsilon() if epsilon is None else epsilon))


def _cdist_shape(x: Any, y: Any) -> Shape:
    a, b = tuple(x.shape), tuple(y.shape)
    if len(a) < 2 or len(b) < 2:
        raise ValueError(f"points have shape (..., n, d); got {a} and {b}.")
    if None not in (a[-1], b[-1]) and a[-1] != b[-1]:
        raise ValueError(f"points must have as many coordinates; got {a[-1]} and {b[-1]}.")
    return (*broadcast_shapes(a[:-2], b[:-2]), a[-2], b[-2])


@composite("keras.ops.cdist", dtype=promote.real_inexact, shape=_cdist_shape, node="math:CDist", checked=True)
def cdist(x: Tensor, y: Tensor) -> Any:
    """Euclidean distances between the points of two sets.

    Args:
        x: shape `(..., n, d)`.
        y: shape `(..., m, d)`.

    Returns:
        Shape `(..., n, m)`.
    """
    return norm(kops.subtract(kops.expand_dims(x, -2), kops.expand_dims(y, -3)), axis=-1)
