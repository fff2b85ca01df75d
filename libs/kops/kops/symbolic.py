"""Shape and dtype inference by running a function on symbolic tensors."""

from __future__ import annotations

from typing import Any, Callable

from kops import tree
from kops.engine import engine
from kops.keras_tensor import KerasTensor, fresh
from kops.op import spec_of
from kops.scopes import NoRecording, StatelessScope, SymbolicScope
from kops.variable import Variable


def infer_by_running(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The outputs of `function` as fresh KerasTensors.

    Composite functions run on the symbolic tensors themselves. Native code in `function` (a layer that calls
    `jax.nn` or `torch` directly) cannot; the engine's own abstract evaluation takes over where it has one.
    """
    with StatelessScope(), SymbolicScope(), NoRecording():
        try:
            outputs = function(*args, **kwargs)
        except TypeError as error:
            if "is symbolic: it has no value" not in str(error) and "KerasTensor" not in str(error):
                raise
            outputs = engine().abstract_call(function, args, kwargs)

    def finish(x: Any) -> Any:
        return fresh(spec_of(x if isinstance(x, (KerasTensor, Variable)) else engine().convert(x, None)))

    return tree.map_structure(finish, outputs, none_is_leaf=False)
