"""Gradients stopped, replaced, and forward."""

from __future__ import annotations

import functools
from typing import Any, Callable

from kops import promote, shapes
from kops.control_trees import result_specs, specs, tensors
from kops.declare import Operand, Tensor, functional, primitive
from kops.keras_tensor import any_symbolic
from kspec import public


@primitive("keras.ops.stop_gradient", dtype=promote.first, shape=shapes.same)
def stop_gradient(variable: Tensor) -> Any:
    """The same tensor, through which no gradient flows.

    Args:
        variable: a tensor.
    """


@functional()
def _with_gradient(f: Callable[..., Any], args: Any) -> Any:
    """`f(*args)[0]`; engines with gradients take them from `f(*args)[1]`."""
    return f(*args)[0]


@public("keras.ops.custom_gradient")
def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for a function that brings its own gradient.

    Args:
        f: takes tensors, returns the result and a function from the gradient with respect to the result (called
            `upstream` if it has a parameter of that name) to the gradients with respect to the arguments: one, or a
            tuple.

    Returns:
        A function that returns the result only. On engines without gradients the second part is ignored.

    Example:
        >>> @custom_gradient
        ... def log1pexp(x):
        ...     e = ops.exp(x)
        ...     def grad(upstream):
        ...         return upstream * (1.0 - 1.0 / (1.0 + e))
        ...     return ops.log(1.0 + e), grad
    """
    if not callable(f):
        raise TypeError(f"custom_gradient decorates a function, not {f!r}.")

    @functools.wraps(f)
    def wrapped(*args: Any) -> Any:
        if any_symbolic(*args):
            return f(*args)[0]
        return _with_gradient(f, tuple(tensors(list(args))))

    return wrapped


def _jvp_spec(fun: Any, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    out = result_specs(fun, *specs(list(primals)))
    if has_aux:
        return out[0], specs(out[0]), out[1]
    return out, result_specs(lambda: out)


@functional("linalg", shape=_jvp_spec, node="core:")
def jvp(fun: Callable[..., Any], primals: Operand, tangents: Operand, has_aux: bool = False) -> Any:
    """The function's value and its derivative in a direction (forward mode).

    Args:
        fun: a differentiable function of tensors.
        primals: tuple of the arguments.
        tangents: tuple of the direction, with the arguments' shapes and dtypes.
        has_aux: whether `fun` returns `(output, aux)`, of which only the first is differentiated.

    Returns:
        `(output, tangent)`, or `(output, tangent, aux)`.
    """
    raise NotImplementedError("jvp has no formula in other ops.")
