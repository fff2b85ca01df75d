"""Kernels of segment reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.dtypes import limits, standardize_dtype


def start_of(reduction: str, dtype: str) -> Any:
    """What an empty segment holds."""
    if reduction in ("sum", "prod"):
        return int(reduction == "prod")
    if "float" in dtype:
        return -np.inf if reduction == "max" else np.inf
    return limits(dtype)[0 if reduction == "max" else 1]


def _segment(combine: Any, reduction: str) -> Any:
    def kernel(data: Any, ids: Any, num: Any, ordered: bool) -> Any:
        n = num if num is not None else int(ids.max()) + 1 if ids.size else 0
        out = np.full((n, *data.shape[1:]), start_of(reduction, standardize_dtype(data.dtype)), data.dtype)
        ids = ids.astype(np.int64)
        inside = (ids >= 0) & (ids < n)
        combine.at(out, ids[inside], data[inside])
        return out

    return kernel


TABLE = {
    "segment_sum": _segment(np.add, "sum"),
    "segment_max": _segment(np.maximum, "max"),
    "segment_min": _segment(np.minimum, "min"),
    "segment_prod": _segment(np.multiply, "prod"),
}
