"""Formulas as graphs: called eagerly, TensorFlow would dispatch every op of them by itself.

What is called again with the same shapes and static arguments is traced, unless it is short: one call of a graph
costs as much as half a dozen ops. Gradients pass through the graph.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

import tensorflow as tf

from kops.backends.kernel_tables import ALIASES
from kops.backends.tensorflow.eager import recording
from kops.config import settings
from kops.declare import OPS
from kops.dtypes import standardize_dtype
from kops.sparse_rules import flatten
from kops.static_types import exact, frozen

PATIENCE = 1  # calls before one is traced
_SHORT = 4  # ops
_MOST = 64  # graphs of one op; shapes beyond are not traced
_EAGER = ALIASES | {"array"}


def _suits(op: Any) -> bool:
    """Random formulas have state, operands may be anything, and what starts with `_` answers with Python numbers."""
    kinds = {p.kind for p in op.parameters}
    drawn = any(p.name == "seed" for p in op.parameters)
    return not (op.kind == "functional" or "operand" in kinds or drawn or op.name[0] == "_" or op.name in _EAGER)


def formula(name: str) -> Callable[..., Any]:
    """The formula of an op, for kernels that leave some cases to it."""
    return _formula(name, settings.epsilon, settings.floatx, settings.image_data_format)


@functools.lru_cache(maxsize=256)
def _formula(name: str, *read: Any) -> Callable[..., Any]:
    return graphed(name) or OPS[name].formula


def graphed(name: str, run: Callable[..., Any] | None = None) -> Callable[..., Any] | None:
    """A kernel that calls `run`, by default the formula, as a graph; None for what is better run as it is."""
    op = OPS[name]
    if not _suits(op) or (run is None and op.kind == "primitive"):
        return None
    place = op.dtype_position if run is None else None
    body = run or op.formula
    static = [i for i, p in enumerate(op.parameters) if p.kind == "static"]
    dynamic = [i for i, p in enumerate(op.parameters) if p.kind != "static"]
    known: dict[Any, Any] = {}
    short: list[bool] = []

    def trace(args: tuple[Any, ...], tensors: list[Any]) -> Any:
        def call(*given: Any) -> Any:
            rest, changed = iter(given), list(args)
            for i in dynamic:
                x = args[i]
                changed[i] = [next(rest) for _ in x] if isinstance(x, (list, tuple)) else x if x is None else next(rest)
            return body(*changed)

        specs = [tf.TensorSpec(x.shape, x.dtype) for x in tensors]
        return _callable(tf.function(call, autograph=False).get_concrete_function(*specs))

    def kernel(*args: Any) -> Any:
        if place is not None and args[place] is not None:  # kernels get the native dtype, formulas its name
            args = (*args[:place], standardize_dtype(args[place]), *args[place + 1 :])
        if short or not tf.executing_eagerly():
            return body(*args)
        statics = [args[i] for i in static]
        # Beams are searched on the host.
        if any(type(x) is str and x == "beam_search" for x in statics):
            return body(*args)
        tensors = [x for x in flatten([args[i] for i in dynamic]) if x is not None]
        if any(type(x) is not _Tensor for x in tensors):
            return body(*args)
        key = exact(frozen(statics)), tuple([_described(args[i]) for i in dynamic])
        try:
            graph = known.get(key, 0)
        except TypeError:  # an array
            return body(*args)
        if isinstance(graph, int):
            if graph < PATIENCE:
                if len(known) < _MOST:
                    known[key] = graph + 1
                return body(*args)
            graph = known[key] = trace(args, tensors)
            if graph is None:
                short.append(True)
                return body(*args)
        return graph(*tensors)

    return kernel


_Tensor: Any = type(tf.constant(0))
_FREE = frozenset({"Placeholder", "Const", "Identity", "NoOp"})


def _callable(graph: Any) -> Any:
    """What calls a traced function; None if it is short."""
    if sum(node.type not in _FREE for node in graph.graph.get_operations()) < _SHORT:
        return None
    # Where no gradient is asked for, the function below need not look at its arguments again.
    flat = getattr(getattr(graph, "inference_fn", None), "call_preflattened", None)
    captured = graph.captured_inputs
    if flat is None:
        return graph
    return lambda *tensors: graph(*tensors) if recording() else flat([*tensors, *captured])


def _described(x: Any) -> Any:
    return tuple(map(_described, x)) if isinstance(x, (list, tuple)) else x if x is None else (x.dtype, *x.shape)
