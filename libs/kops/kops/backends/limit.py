"""A bound of `clip` in the form that the engines' kernels take."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kops.dtypes import FLOATS, limits
from kops.engine import engine


def limit(bound: Any, x: Any) -> Any:
    """`bound` as a Python scalar or a tensor in the dtype of `x`; None for no limit."""
    if bound is None:
        return None
    e = engine()
    dtype = e.dtype_name(x)
    if isinstance(bound, (int, float)):
        if dtype in FLOATS:
            return float(bound)
        low, high = limits(dtype)
        near = (low if bound < 0 else high) if math.isinf(bound) else min(max(int(bound), low), high)
        return np.uint64(near) if dtype == "uint64" else near  # JAX takes Python's numbers up to 2**63
    from kops.ops.core import cast

    return cast(bound, dtype)
