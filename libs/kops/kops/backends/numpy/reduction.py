"""Reduction kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.kernel_tables import kernels, native
from kops.backends.limit import limit
from kops.declare import OPS
from kops.shapes import standardize_axes


def _axis(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def _wide(x: Any) -> Any:
    """16-bit floats in 32 bits: NumPy accumulates in the type it is given."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind in "fV" else x


def _reducing(function: Any) -> Any:
    return lambda x, axis=None, keepdims=False: function(_wide(x), axis=_axis(axis), keepdims=keepdims)


def _extreme(function: Any) -> Any:
    def kernel(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        if initial is None:
            return function(x, axis=_axis(axis), keepdims=keepdims)
        return function(x, axis=_axis(axis), keepdims=keepdims, initial=np.asarray(limit(initial, x), x.dtype)[()])

    return kernel


def _plain(function: Any) -> Any:
    return lambda x, axis=None, keepdims=False: function(x, axis=_axis(axis), keepdims=keepdims)


def _prod(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    return np.prod(_wide(x), axis=_axis(axis), keepdims=keepdims, dtype=None if x.dtype.kind in "fVc" else x.dtype)


# The ufunc's own method spares what np.sum does around it.
_add_up: Any = np.add.reduce


def _sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return _add_up(_wide(x), _axis(axis), None if x.dtype.kind in "fVc" else x.dtype, None, keepdims)


def _running(function: Any) -> Any:
    return lambda x, axis=None, dtype=None: function(
        _wide(x), axis=axis, dtype=None if x.dtype.kind in "fVc" else dtype
    )


def _bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    if sparse:
        raise NotImplementedError("sparse counts exist with the TensorFlow backend only. Use sparse=False.")
    if x.ndim > 2:
        raise ValueError("one or two dimensions are needed.")
    if weights is not None and weights.dtype.kind == "c":
        return _bincount(x, weights.real, minlength) + 1j * _bincount(x, weights.imag, minlength)
    rows = np.atleast_2d(x).astype(np.int64)  # NumPy 1 refuses uint64
    shares = [None] * len(rows) if weights is None else np.broadcast_to(weights, rows.shape)
    length = max(minlength, int(x.max()) + 1 if x.size else 0)
    counts = [np.bincount(r, w, length) for r, w in zip(rows, shares)]
    return np.reshape(counts, (*x.shape[:-1], length))


def _numbers(function: Any) -> Any:
    """The extreme of what is not NaN."""
    return lambda x, axis=None, keepdims=False: function(x, _axis(axis), keepdims=keepdims)


def _quantile(x: Any, q: Any, axis: Any, method: str, keepdims: bool) -> Any:
    q = np.asarray(q)
    OPS["quantile"].shape_rule(x, q, axis, method, keepdims)
    axes = standardize_axes(axis, x.ndim)
    kept = [i for i in range(x.ndim) if i not in axes]
    rows = x.transpose(*kept, *axes).reshape(*[x.shape[i] for i in kept], -1)
    rows = rows.astype(np.float32) if rows.dtype.name == "bfloat16" else rows
    last = rows.shape[-1] - 1
    place = q * q.dtype.type(last)
    if method == "nearest":
        place = np.rint(place)
    low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
    low, high = (high if method == "higher" else low), (low if method == "lower" else high)
    # The elements that count in their places; NaN at the end.
    rows = np.partition(rows, sorted({last, *low.ravel().tolist(), *high.ravel().tolist()}), -1)
    below, above = rows[..., low], rows[..., high]
    if method in ("linear", "midpoint"):
        part = (place - low).astype(x.dtype) if method == "linear" else x.dtype.type(0.5)
        with np.errstate(invalid="ignore"):  # of infinities
            between = below * (1 - part) + above * part
        below = np.where(below == above, below, between)
    missing = np.isnan(rows[..., last])
    if missing.any():
        below = np.where(missing[(..., *[None] * q.ndim)], np.nan, below)
    below = below.astype(x.dtype, copy=False)
    result = np.moveaxis(below, -1, 0) if q.ndim else below
    return np.expand_dims(result, [i + q.ndim for i in axes]) if keepdims else result


def _histogram(x: Any, bins: int, range: Any) -> Any:
    OPS["histogram"].shape_rule(x, bins, range)
    if x.dtype.name == "bfloat16" or range is None and not np.isfinite(x).all():
        return OPS["histogram"].formula(x, bins, range)
    counts, edges = np.histogram(x, bins, range)
    return [counts, edges.astype(x.dtype, copy=False)]


TABLE = {
    "histogram": _histogram,
    "median": lambda x, axis, keepdims: _quantile(x, np.float32(0.5), axis, "linear", keepdims),
    "nanmax": _numbers(np.fmax.reduce),
    "nanmin": _numbers(np.fmin.reduce),
    "quantile": _quantile,
    **native(np, "all any argmax argmin", _plain),
    **native(np, "mean std var", _reducing),
    **kernels(_bincount, _prod, _sum),
    "cumprod": _running(np.cumprod),
    "cumsum": _running(np.cumsum),
    "max": _extreme(np.max),
    "min": _extreme(np.min),
}
