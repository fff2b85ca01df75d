"""`@primitive`, `@composite` and `@functional`: an op is said once, and everything else follows from that.

    @primitive("numpy", dtype=promote.inexact, shape=shapes.broadcast)
    def logaddexp(x1: Tensor, x2: Tensor):
        \"\"\"documentation\"\"\"

    @composite("nn", dtype=promote.inexact)
    def softplus(x: Tensor):
        \"\"\"documentation\"\"\"
        return logaddexp(x, 0.0)

The strings say where the op is public: `"numpy"` stands for `keras.ops.<op>` and `keras.ops.numpy.<op>`, a dotted name
for itself. They are literal, for `tools/api_gen.py` reads them from the source.

Annotations tell the parameters apart:

- `Tensor`, `Optional[Tensor]`: converted to a native tensor and cast as the dtype rule says;
- `Tensors`: a list or tuple of such;
- `Operand`: handed to the kernel as it is, but a tensor may stand in it (indices of `get_item`);
- anything else is static: the kernel gets it as it is, and it goes into the config of the graph node. A static
  parameter called `dtype` reaches the kernel as the *native* dtype of the rule's result.

A primitive's kernel comes from the engine's table. A composite's body is its kernel where the table has none.
A functional op takes functions or trees (`scan`, `cond`): no conversion, no promotion, the kernel does it all.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Callable, Mapping, TypeVar

from kops.op import Op, Parameter
from kops.static_types import annotated, wanted_type
from kops.wrapper import make_wrapper
from kspec import public

if TYPE_CHECKING:
    # To a type checker anything that converts is a tensor.
    Tensor = Any
    Tensors = Any
    Operand = Any
else:

    class Tensor:
        """Annotation: a tensor argument (arrays, lists and scalars are converted)."""

    class Tensors:
        """Annotation: a list or tuple of tensor arguments."""

    class Operand:
        """Annotation: passed through unchanged; may be or hold a tensor."""


F = TypeVar("F", bound=Callable[..., Any])

OPS: dict[str, Op] = {}


def primitive(
    *names: str,
    dtype: Any,
    shape: Callable[..., Any] | None,
    key: tuple[str, ...] = (),
    node: str | None = None,
    checked: bool = False,
    kernels: Mapping[str, Callable[..., Any]] | None = None,
) -> Callable[[F], F]:
    """Declare an op whose kernel every engine provides.

    Args:
        *names: where it is public (see above); without any it is not.
        dtype: a dtype rule (see `kops.promote`).
        shape: a shape rule (see `kops.shapes`), which gets the arguments it names, or all of them; None means the rule
            is the dtype rule's business too (queries).
        key: static parameters on which the dtype rule depends, besides `dtype`.
        node: class name of the op's graph node in files, where it is not the op's name in CamelCase; with a
            module before a colon where it is not the one in which the op is public, as "core:Cast".
        checked: run the shape rule before the kernel at every call, where engines accept what the rule refuses.
        kernels: for an op of your own, what computes on native tensors, by engine: `{"numpy": np.sinc, ...}`.

    Example:
        >>> @primitive(dtype=promote.inexact, shape=shapes.broadcast, kernels={"numpy": np.hypot, "jax": jax_hypot})
        ... def distance(x: Tensor, y: Tensor):
        ...     "The length of (x, y)."
    """
    return lambda body: _declare(body, "primitive", names, dtype, shape, key, node, checked, kernels)


def composite(
    *names: str,
    dtype: Any = None,
    shape: Callable[..., Any] | None = None,
    key: tuple[str, ...] = (),
    node: str | None = None,
    checked: bool = False,
    kernels: Mapping[str, Callable[..., Any]] | None = None,
) -> Callable[[F], F]:
    """Declare an op by its formula in other ops; a table entry replaces the formula where an engine is faster.

    Args:
        *names: as for `primitive`.
        dtype: a dtype rule applied before the body runs; None leaves dtypes to the ops inside.
        shape: a shape rule; None finds the shape by running the body on symbolic tensors.
        key, node, checked, kernels: as for `primitive`.
    """
    return lambda body: _declare(body, "composite", names, dtype, shape, key, node, checked, kernels)


def functional(*names: str, shape: Callable[..., Any] | None = None, node: str | None = None) -> Callable[[F], F]:
    """Declare an op that takes functions or trees of tensors; the kernel gets every argument as it is.

    Args:
        *names: as for `primitive`.
        shape: given the arguments (symbolic ones included), returns the outputs as KerasTensors; None runs the
            body on symbolic arguments.
        node: as for `primitive`.
    """
    return lambda body: _declare(body, "functional", names, None, shape, (), node)


_KINDS = {"Tensor": "tensor", "Tensors": "tensors", "Operand": "operand"}


def _kind(annotation: Any) -> str:
    return _KINDS.get(annotated(annotation).partition(" | ")[0], "static")


def _declare(
    body: Any,
    kind: str,
    names: tuple[str, ...],
    dtype: Any,
    shape: Any,
    key: tuple[str, ...],
    node: str | None,
    checked: bool = False,
    kernels: Mapping[str, Callable[..., Any]] | None = None,
) -> Any:
    known = OPS.get(body.__name__)
    if known is not None and known.body.__module__ != body.__module__:
        raise ValueError(
            f"There is an op {body.__name__!r} already, in {known.body.__module__}. Graphs and files name ops by "
            "their name alone: give this one another."
        )
    parameters = [
        Parameter(p.name, _kind(p.annotation), p.default, p.kind, wanted_type(p.annotation))
        for p in inspect.signature(body).parameters.values()
    ]
    if dtype is not None and any(p.name == "dtype" for p in parameters) and "dtype" not in key:
        key = (*key, "dtype")
    rule = _by_name(shape, parameters)
    op = Op(body.__name__, body, kind, parameters, dtype, rule, key, node, checked, kernels or {})
    OPS[op.name] = op
    function = make_wrapper(op)
    op.function = function
    return public(*_public_names(op.name, names))(function) if names else function


def _by_name(rule: Any, parameters: list[Parameter]) -> Any:
    """A shape rule that names some parameters of the op gets those; any other gets all arguments in order."""
    code = getattr(rule, "__code__", None)
    names = [p.name for p in parameters if p.passing is p.passing.POSITIONAL_OR_KEYWORD]
    if code is None or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS) or len(names) < len(parameters):
        return rule
    wanted = code.co_varnames[: code.co_argcount]
    if list(wanted) == names or not set(wanted) <= set(names):
        return rule
    places = [names.index(name) for name in wanted]
    return lambda *args: rule(*[args[i] for i in places])


def _public_names(op: str, names: tuple[str, ...]) -> list[str]:
    """What `names` of a declaration stand for; `tools/api_gen.py` reads them alike."""
    spelled = [[n] if "." in n else [f"keras.ops.{op}", f"keras.ops.{n}.{op}"] for n in names]
    return [name for group in spelled for name in group]
