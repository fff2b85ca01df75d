"""Plans compiled as a whole, casts included: eagerly, JAX would dispatch every op of a kernel or formula by itself, and
the wrappers of `jax.numpy` cost more Python time than the dispatch of a compiled function.

Traced once per shapes and static arguments. Inside of a user's own `jax.jit` a kernel runs as it is, and a formula is
inlined.
"""

from __future__ import annotations

import operator
from typing import Any, Callable

import jax

from kops.backends.jax.core import dtype_name
from kops.backends.jax.table import TABLE
from kops.backends.kernel_tables import ALIASES
from kops.dtypes import standardize_dtype
from kops.sparse_rules import flatten
from kops.static_types import exact, frozen

# These copy or pass on their argument, look at values, or differ by position, for which each its own would be compiled.
_EAGER = "array copy stop_gradient clip ctc_decode bincount nonzero unique get_item slice slice_update"
_AS_THEY_ARE = frozenset(_EAGER.split())
_NUMBERS = (bool, int, float, type(None))


def suits(op: Any, args: Any) -> bool:
    """Whether the plan for arguments like these may be compiled."""
    if op.kind == "functional" or op.name in _AS_THEY_ARE or op.name.startswith("_"):
        return False
    operands = [args[i] for i in op.operand_positions]
    if not all(isinstance(x, _NUMBERS) for x in flatten(operands)):
        return False
    if op.kind == "composite" and any(p.name == "seed" for p in op.parameters):  # its state is outside
        return False
    tensors = [x for x in flatten([args[i] for i in op.tensor_positions]) if hasattr(x, "dtype")]
    if not all(isinstance(x, jax.Array) for x in tensors):
        return False
    if any(isinstance(x, jax.core.Tracer) for x in tensors):
        return op.kind == "composite" and op.name not in TABLE and op.name not in ALIASES
    if op.name == "cast":
        return not tensors or dtype_name(tensors[0]) != standardize_dtype(args[1])
    if op.name == "where":  # of a condition alone, it looks at values
        return args[1] is not None
    return op.name != "power" or len(tensors) == 2  # whole exponents are multiplications


def fuse(op: Any, run: Callable[..., Any]) -> Callable[..., Any]:
    """`run`, a plan of the op, as one compiled function."""
    static = [i for i, p in enumerate(op.parameters) if p.kind in ("static", "operand")]
    if not static:
        return jax.jit(run, inline=True)
    # JAX tells 1 from 1.0, but not inside of tuples: the last argument does.
    compiled = jax.jit(lambda *a: run(*a[:-1]), static_argnums=[*static, len(op.parameters)], inline=True)
    loose = [i for i in static if op.parameters[i].wants is None]
    chosen = operator.itemgetter(*static)
    segments = next((i for i in static if op.parameters[i].name == "num_segments"), None)

    def plan(*args: Any) -> Any:
        if segments is not None and args[segments] is None:  # the number is a value
            return run(*args)
        try:
            hash(chosen(args))
        except TypeError:  # lists or dictionaries
            args = tuple([frozen(x) if i in static else x for i, x in enumerate(args)])
            try:
                hash(chosen(args))
            except TypeError:  # arrays
                return run(*args)
        return compiled(*args, tuple([exact(args[i]) for i in loose if type(args[i]) is tuple]))

    return plan
