"""The Python function that users call for an op, generated once per parameter list.

It does three things: look up the plan for the arguments' types and dtypes, call it, and let the op deal with a
failure. Everything costly happens when a plan is made (`kops.op`).
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from kops.engine import engine
from kops.op_traced import traced


def _signature_of_list(xs: Any) -> Any:
    if type(xs) in (list, tuple):
        return tuple([(type(x), getattr(x, "dtype", None)) for x in xs])
    return type(xs), getattr(xs, "dtype", None)


def _kind_of_operand(x: Any) -> Any:
    """A tensor may stand inside of a tuple, as in `x[:, i]`."""
    return tuple(map(type, x)) if type(x) in (tuple, list) else type(x)


@functools.cache
def _factory(signature: str, positional: str, key: str, gated: bool) -> Callable[..., Any]:
    gate = f"\n        if compiling(): return traced(op, ({positional}))" if gated else ""
    source = f"""
def factory(op, get, compiling):
    def wrapper({signature}):{gate}
        plan = get(({key}))
        try:
            if plan is None:
                plan = op.prepare(({key}), ({positional}))
            return plan({positional})
        except Exception as error:
            return op.rescue(error, ({positional}))
    return wrapper
"""
    scope: dict[str, Any] = {"signature": _signature_of_list, "kind": _kind_of_operand, "traced": traced}
    scope["dtype_key"] = getattr(engine(), "dtype_key", None)
    exec(compile(source, "<op dispatch>", "exec"), scope)
    return scope["factory"]


def _key_of(op: Any) -> str:
    parts = []
    dtype = "dtype_key({0})" if hasattr(engine(), "dtype_key") else 'getattr({0}, "dtype", None)'
    for p in op.parameters:
        if p.kind == "tensor":
            parts.append(f"type({p.name}), {dtype.format(p.name)}")
        elif p.kind == "tensors":
            parts.append(f"signature({p.name})")
        elif p.kind == "operand":
            parts.append(f"kind({p.name})")
        elif p.name in op.key:
            parts.append(p.name)
        elif p.wants:
            parts.append(f"type({p.name})")
    return ", ".join(parts) + "," if parts else ""


def make_wrapper(op: Any) -> Callable[..., Any]:
    """The public function of an op, with the name, signature, annotations and documentation of its declaration."""
    names = []
    signature = []
    keyword_only = False
    for p in op.parameters:
        if p.passing is p.passing.VAR_POSITIONAL:
            signature.append(f"*{p.name}")
            keyword_only = True
        elif p.passing is p.passing.VAR_KEYWORD:
            signature.append(f"**{p.name}")
        else:
            if p.passing is p.passing.KEYWORD_ONLY and not keyword_only:
                signature.append("*")
                keyword_only = True
            signature.append(p.name + ("" if p.default is p.EMPTY else "=None"))
        names.append(p.name)
    positional = ", ".join(names) + ("," if names else "")
    e = engine()
    functional = op.kind == "functional"
    factory = _factory(", ".join(signature), positional, "" if functional else _key_of(op), e.compiling is not None)
    get = (lambda key: op.run_functional) if functional else op.plans.get
    function = factory(op, get, e.compiling)
    for name in ("name", "qualname", "module", "doc", "annotations", "defaults", "kwdefaults"):
        setattr(function, f"__{name}__", getattr(op.body, f"__{name}__"))
    function.op = op
    return e.adopt(function)
