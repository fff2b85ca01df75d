"""Calling an op while torch.compile traces it: by constants only, since a dictionary of plans would be guarded."""

from __future__ import annotations

from typing import Any, Mapping

from kops.dtypes import standardize_dtype
from kops.engine import engine
from kops.op import SCALARS, converted, fix_dtypes, python_kind, read
from kops.variable import Variable


def traced(op: Any, args: tuple[Any, ...]) -> Any:
    """The same computation in a form that torch.compile can follow without breaking the graph."""
    if op.kind == "functional":
        return op.run_functional(*args)
    e = engine()

    changed = op.map_tensors(lambda x: converted(x.value if isinstance(x, Variable) else x), args)
    for i in op.operand_positions:
        changed[i] = read(changed[i])
    described = tuple(
        tuple(_describe(v) for v in changed[i]) if op.parameters[i].kind == "tensors" else _describe(changed[i])
        for i in op.tensor_positions
    )
    statics = tuple(changed[i] for i, _ in op.key_positions)
    kernel = e.lookup(op.name, changed)
    targets, result, native_dtype, raw_scalars = _traced_constants(op.name, described, statics, kernel is None)
    for i, target in zip(op.tensor_positions, targets):
        x = changed[i]
        if op.parameters[i].kind == "tensors":
            changed[i] = [_traced_cast(v, target, raw_scalars) for v in x]
        else:
            changed[i] = _traced_cast(x, target, raw_scalars)
    if native_dtype is not None and op.dtype_position is not None:
        changed[op.dtype_position] = native_dtype
    out = op.formula(*changed) if kernel is None else kernel(*changed)
    return fix_dtypes(out, result) if result is not None else out


def _describe(x: Any) -> Any:
    if x is None:
        return None
    for kind in SCALARS:
        if isinstance(x, kind):
            return kind.__name__
    return x.dtype


_KIND_BY_NAME: Mapping[str, type] = {kind.__name__: kind for kind in SCALARS}


def _traced_constants(name: str, described: tuple[Any, ...], statics: tuple[Any, ...], use_body: bool) -> Any:
    from kops.declare import OPS

    op, e = OPS[name], engine()

    def dtype_of(d: Any) -> Any:
        if isinstance(d, tuple):
            return [dtype_of(x) for x in d]
        return d if d is None else _KIND_BY_NAME[d] if isinstance(d, str) else standardize_dtype(d)

    ds = [dtype_of(d) for d in described]
    args: list[Any] = [None] * len(op.parameters)
    for (i, _), value in zip(op.key_positions, statics):
        args[i] = value
    targets, result = op.promote(ds, args)
    flat = [x for d in ds for x in (d if isinstance(d, list) else [d])]
    lone = not any(isinstance(d, str) for d in flat)
    if use_body:
        op.kernel(())
    native_dtype = None
    if op.dtype_position is not None and isinstance(result, str):
        native_dtype = result if use_body else e.native_dtype(result)
    return targets, result, native_dtype, (op.takes_scalars if use_body else name in e.SCALARS) and not lone


# torch.compile evaluates this call and uses its result as a constant.
_traced_constants._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _traced_cast(x: Any, target: str | None, raw_scalars: bool) -> Any:
    if x is None:
        return None
    e = engine()
    if isinstance(x, SCALARS):
        if not raw_scalars:
            return e.convert(x, target)
        return x if target is None else python_kind(target)(x)
    return x if target is None or e.dtype_name(x) == target else e.cast(x, target)
