"""Kernels for sparse arguments, by the rules of `kops.sparse_rules` and a handful of functions of the engine."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

from kops import sparse_rules
from kops.sparse_rules import flatten, is_sparse


def select(name: str, kernel: Any, arguments: Any, engine_kernels: str) -> Any:
    """`kernel`, or what computes instead when there are sparse tensors among the arguments.

    Args:
        engine_kernels: name of a module with `TABLE` (op name -> kernel for sparse arguments, or None where it passes),
            `dense(x)`, `sparse(x, like)` and `with_values(x, change)`.
    """
    if not any(is_sparse(x) for x in flatten(arguments)):
        return kernel
    from kops.declare import OPS

    op: Any = OPS[name]
    e: Any = import_module(engine_kernels)
    if name not in sparse_rules.RULES:
        if op.kind == "primitive":
            raise sparse_rules.refusal(name)
        return None
    formula: Callable[..., Any] = kernel or op.formula
    if name in sparse_rules.ZERO:
        return lambda x, *static: e.with_values(x, lambda values: formula(values, *static))

    def run(*args: Any) -> Any:
        special = e.TABLE.get(name)
        result = special(*args) if special else None
        if result is not None:
            return result
        tensors = flatten([args[i] for i in op.tensor_positions])
        wanted = sparse_rules.result_is_sparse(name, [is_sparse(x) for x in tensors])
        result = op.call(*op.map_tensors(lambda x: e.dense(x) if is_sparse(x) else x, args))
        return e.sparse(result, tensors) if wanted else result

    return run
