"""Composites compiled as a whole: called eagerly, JAX would dispatch every op of their formula by itself.

A formula is traced once per shapes and static arguments; the settings that formulas read are part of the key. Inside
of a user's own `jax.jit` it is inlined.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

import jax

from kops.config import settings
from kops.declare import OPS
from kops.dtypes import standardize_dtype

# These only convert their argument, are one op anyhow, or search on the host (beams of `ctc_decode`).
_NAMES = (
    "array cast append dot inner fabs flipud fliplr empty_like bitwise_invert bitwise_left_shift bitwise_right_shift "
    "ctc_decode"
)
_AS_THEY_ARE = frozenset(_NAMES.split())


class _Statics:
    """Static arguments: one object for all that are equal, so that JAX compares objects."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values


def _frozen(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return tuple(map(_frozen, x))
    return tuple(sorted((k, _frozen(v)) for k, v in x.items())) if isinstance(x, dict) else x


def _suits(op: Any) -> bool:
    """Random formulas have state, operands may be anything, and what starts with `_` answers with Python numbers."""
    kinds = {p.kind for p in op.parameters}
    drawn = any(p.name == "seed" for p in op.parameters)
    return not (op.kind != "composite" or "operand" in kinds or drawn or op.name.startswith("_"))


@functools.cache
def jitted(name: str) -> Callable[..., Any] | None:
    """A kernel that runs the formula of a composite compiled; None for what is better run as it is."""
    op = OPS[name]
    if not _suits(op) or name in _AS_THEY_ARE:
        return None
    formula, place = op.formula, op.dtype_position
    static = [i for i, p in enumerate(op.parameters) if p.kind == "static"]
    dynamic = [i for i, p in enumerate(op.parameters) if p.kind != "static"]
    known: dict[Any, _Statics] = {}
    order = [(static + dynamic).index(i) for i in range(len(op.parameters))]

    @functools.partial(jax.jit, static_argnums=0, inline=True)
    def compiled(statics: _Statics, *tensors: Any) -> Any:
        args = (*statics.values, *tensors)
        return formula(*[args[i] for i in order])

    def kernel(*args: Any) -> Any:
        if place is not None and args[place] is not None:  # kernels get the native dtype, formulas its name
            args = (*args[:place], standardize_dtype(args[place]), *args[place + 1 :])
        values = tuple([args[i] for i in static])
        key: Any = (settings.epsilon, settings.floatx, settings.image_data_format, values)
        try:
            hash(key)
        except TypeError:  # a list or dictionary
            key = _frozen(key)
        try:
            statics = known.get(key)
        except TypeError:  # an array
            return formula(*args)
        if statics is None:
            statics = known[key] = _Statics(values)
        return compiled(statics, *[args[i] for i in dynamic])

    return kernel
