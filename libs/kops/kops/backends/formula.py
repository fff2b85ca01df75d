"""Kernels of an engine whose gradient is NaN where the formula's is not: the formula takes over when it matters."""

from __future__ import annotations

from typing import Any, Callable

from kops.declare import OPS


def formula_if(differentiated: Callable[[Any], bool], name: str, native: Any) -> Any:
    """`native`, or the body of the op `name` when the first or second argument is `differentiated`."""

    def kernel(x: Any, *rest: Any) -> Any:
        if differentiated(x) or rest and differentiated(rest[0]):
            return OPS[name].body(x, *rest)
        return native(x, *rest)

    return kernel
