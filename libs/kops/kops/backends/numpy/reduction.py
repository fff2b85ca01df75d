"""Reduction kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.kernel_tables import kernels, native
from kops.backends.limit import limit


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


TABLE = {
    "nanmax": _numbers(np.fmax.reduce),
    "nanmin": _numbers(np.fmin.reduce),
    **native(np, "all any argmax argmin", _plain),
    **native(np, "mean std var", _reducing),
    **kernels(_bincount, _prod, _sum),
    "cumprod": _running(np.cumprod),
    "cumsum": _running(np.cumsum),
    "max": _extreme(np.max),
    "min": _extreme(np.min),
}
