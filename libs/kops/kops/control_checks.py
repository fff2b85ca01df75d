"""Checks of control-flow arguments that all engines share."""

from __future__ import annotations

import inspect
from typing import Any, Callable


def check_scan(f: Any, unroll: Any) -> None:
    """Refuse arguments of `scan` that no engine takes."""
    if not callable(f):
        raise TypeError(f"scan: f must be a function of (carry, x), not {f!r}.")
    if not isinstance(unroll, bool) and (not isinstance(unroll, int) or unroll < 1):
        raise ValueError(f"scan: unroll must be a positive integer or a bool, not {unroll!r}.")


def check_bounds(lower: Any, upper: Any) -> None:
    """Refuse bounds of `fori_loop` that are no integers."""
    for bound in (lower, upper):
        if "float" in str(getattr(bound, "dtype", type(bound))) or bound is None:
            raise TypeError(f"fori_loop: lower and upper are integers, not {lower!r} and {upper!r}.")


def check_jvp(primals: Any, tangents: Any) -> None:
    """Refuse arguments of `jvp` that no engine takes."""
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError("jvp: primals and tangents are tuples, one entry for each argument of the function.")
    if len(primals) != len(tangents):
        raise ValueError(f"jvp: {len(primals)} primals but {len(tangents)} tangents.")


def upstream_call(grad: Callable[..., Any], upstream: Any) -> Any:
    """Call a gradient function that may name its argument `upstream`."""
    named = "upstream" in inspect.signature(grad).parameters
    return grad(upstream=upstream) if named else grad(upstream)
