"""The error functions, which NumPy lacks: SciPy's where it is installed, otherwise Python's own for each element."""

from __future__ import annotations

import functools
import math
import statistics
from typing import Any, Callable

import numpy as np


def _erfinv(y: float) -> float:
    if not abs(y) < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    # The quantile of the lower tail, which keeps the digits of what is left to 1.
    z = math.copysign(statistics.NormalDist().inv_cdf(0.5 * (1 - abs(y))) * math.sqrt(0.5), y)
    # Near 0 that has rounded y itself away: a step of Newton's.
    return z if abs(y) > 0.5 else z - (math.erf(z) - y) * 0.5 * math.sqrt(math.pi) * math.exp(z * z)


@functools.cache
def _function(name: str) -> Callable[[Any], Any]:
    try:
        from scipy import special  # with the first use: it takes a tenth of a second
    except ModuleNotFoundError:
        one: Any = {"erf": math.erf, "erfc": math.erfc, "erfinv": _erfinv}[name]
        return lambda x: np.array([one(v) for v in x.ravel().tolist()], x.dtype).reshape(x.shape)
    return getattr(special, name)  # type: ignore[no-any-return]


def _computed(name: str) -> Callable[[Any], Any]:
    def kernel(x: Any) -> Any:
        wide = x if x.dtype.itemsize > 2 else x.astype(np.float32)
        return _function(name)(wide).astype(x.dtype, copy=False)

    return kernel


erf, erfc, erfinv = map(_computed, ("erf", "erfc", "erfinv"))
