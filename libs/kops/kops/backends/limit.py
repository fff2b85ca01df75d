"""A bound of `clip` in the form that the engines' kernels take."""

from __future__ import annotations

import math
from typing import Any

from kops.dtypes import FLOATS
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
        return None if math.isinf(bound) else int(bound)
    from kops.ops.core import cast

    return cast(bound, dtype)
