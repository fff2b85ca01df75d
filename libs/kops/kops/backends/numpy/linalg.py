"""Kernels of products."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.kernel_tables import kernels, native
from kops.declare import OPS
from kops.dims import as_tuple

_BLAS = "fdFD"


def _wide(x: Any) -> Any:
    """A dtype in which sums are right: small ints would overflow, half floats lose digits and have no BLAS."""
    if x.dtype.kind in "iu":
        return x.astype(np.int32) if x.dtype.itemsize < 4 else x
    return x if x.dtype.kind in "bc" or x.dtype.char in _BLAS else x.astype(np.float32)


# Products of two int8 are below 2**14. As many as this sum to less than 2**24, below which float32 is exact.
_EXACT_TERMS = 2**10


def _matmul(x1: Any, x2: Any) -> Any:
    if x1.dtype.char in _BLAS:
        return np.matmul(x1, x2)
    if x1.dtype == np.int8 == x2.dtype:
        # NumPy's loop over ints is some seventy times slower than BLAS, which gives the same integers.
        exact = np.float32 if x1.shape[-1:] <= (_EXACT_TERMS,) else np.float64
        return np.matmul(x1.astype(exact), x2.astype(exact)).astype(np.int32)
    return np.matmul(_wide(x1), _wide(x2))


def _tensordot(x1: Any, x2: Any, axes: Any) -> Any:
    axes = axes if isinstance(axes, int) else tuple(as_tuple(a) for a in axes)
    return np.tensordot(_wide(x1), _wide(x2), axes)


def _einsum(subscripts: str, operands: Any, kwargs: Any) -> Any:
    # With optimize, products of two go to BLAS; of a few numbers, looking for the order takes longer than the sum.
    several = len(operands) > 1 and max(x.size for x in operands) > 256
    return np.einsum(subscripts, *[_wide(x) for x in operands], optimize=several)


def _norm(x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    if x.dtype.char not in _BLAS:  # it would be summed in half precision
        return OPS["norm"].formula(x, ord, axis, keepdims)
    return np.linalg.norm(x, ord, tuple(axis) if isinstance(axis, list) else axis, keepdims)


def _product(function: Any) -> Any:
    return lambda x1, x2: function(x1, x2) if x1.dtype.char in _BLAS else function(_wide(x1), _wide(x2))


TABLE = {
    **native(np, "dot inner", _product),
    **kernels(_matmul, _tensordot, _einsum, _norm),
    "correlate": lambda x1, x2, mode: np.correlate(_wide(x1), _wide(x2), mode),
    "vdot": lambda x1, x2: np.vdot(_wide(x1), _wide(x2)).astype(x1.dtype),
    "vander": lambda x, n, increasing: np.vander(_wide(x), n, increasing),
}
