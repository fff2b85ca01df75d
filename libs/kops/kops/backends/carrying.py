"""Kernels for dtypes that an engine's own kernels lack: behind a cast to a dtype that they have.

The plan casts the result back. Integers are carried by wider ones, so that the low bits are those of the wrapped
result; floats by wider floats.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional

from kops.engine import engine

Carriers = Mapping[str, Mapping[str, Optional[str]]]


def carry(
    carriers: Carriers, name: str, kernel: Callable[..., Any] | None, arguments: Any
) -> Callable[..., Any] | None:
    """`kernel`, or that kernel behind casts, or None where the op's formula computes what no kernel can.

    Args:
        carriers: op name -> {dtype: the dtype to compute in, or None for the formula}.
        arguments: of the call for which a plan is made.
    """
    wanted = carriers.get(name)
    if kernel is None or wanted is None:
        return kernel
    e = engine()
    present = {e.dtype_name(x) for x in _flat(arguments) if e.is_tensor(x)} & wanted.keys()
    if not present:
        return kernel
    if any(wanted[d] is None for d in present):
        return None

    def cast(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return type(x)([cast(v) for v in x])
        carrier = wanted.get(e.dtype_name(x)) if e.is_tensor(x) else None
        return e.cast(x, carrier) if carrier else x

    return lambda *args: kernel(*map(cast, args))


def _flat(x: Any) -> list[Any]:
    return [leaf for v in x for leaf in _flat(v)] if isinstance(x, (list, tuple)) else [x]
