"""Shape and dtype inference by running a function on symbolic tensors."""

from __future__ import annotations

from typing import Any, Callable

from kops import tree
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.scopes import NoRecording, StatelessScope, SymbolicScope


def spec_of(x: Any) -> Any:
    """A KerasTensor like `x` where `x` is a tensor of any kind; anything else unchanged."""
    if isinstance(x, KerasTensor):
        return x
    e = engine()
    if e.is_tensor(x):
        return KerasTensor(e.shape(x), e.dtype_name(x), record_history=False)
    return x


def infer_by_running(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The outputs of `function` as fresh KerasTensors.

    Composite functions run on the symbolic tensors themselves. Native code in `function` (a layer that calls
    `jax.nn` or `torch` directly) cannot; the engine's own abstract evaluation takes over where it has one.
    """
    from kops.variable import Variable

    with StatelessScope(), SymbolicScope(), NoRecording():
        try:
            outputs = function(*args, **kwargs)
        except TypeError as error:
            if "is symbolic: it has no value" not in str(error) and "KerasTensor" not in str(error):
                raise
            outputs = engine().abstract_call(function, args, kwargs)

    def finish(x: Any) -> Any:
        if x is None:
            return None
        if isinstance(x, Variable):
            return KerasTensor(x.shape, x.dtype)
        spec = spec_of(x)
        if not isinstance(spec, KerasTensor):
            spec = spec_of(engine().convert(x, None))
        return KerasTensor(spec.shape, spec.dtype, sparse=spec.sparse, ragged=spec.ragged)

    return tree.map_structure(finish, outputs, none_is_leaf=False)
