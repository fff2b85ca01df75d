"""One op: from its declaration to plans, symbolic results, graph nodes and errors.

A *plan* is a callable with the op's own positional parameters that is right for one combination of argument types
and dtypes. The wrapper finds it by one dictionary look-up. Making a plan runs the dtype rule once and decides every
cast; a plan whose arguments need none is the engine's kernel itself.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Mapping, Sequence

import numpy as np

import kops
from kops import config, sparse_rules, tree
from kops.dims import as_tuple
from kops.dtypes import FLOATS, result_type, standardize_dtype
from kops.engine import engine
from kops.keras_tensor import KerasTensor, any_symbolic, fresh
from kops.promote import each_result
from kops.scopes import NoRecording, ambient
from kops.shapes import broadcast, is_shape
from kops.static_types import check_static_types, exact
from kops.tape import find_tape, untraced, write_call
from kops.variable import Variable

SCALARS = (bool, int, float, complex)
DOUBLES = ("float64", "complex128")
_Passing = type(inspect.Parameter.POSITIONAL_ONLY)


@dataclass(frozen=True)
class Parameter:
    """A parameter of an op."""

    name: str
    kind: str  # tensor, tensors, operand, static
    default: Any
    passing: Any
    wants: str | None = None  # the type of a static one

    EMPTY: ClassVar[Any] = inspect.Parameter.empty


@dataclass(eq=False)
class Op:
    """See the module; made by the decorators of `kops.declare` only."""

    name: str
    body: Callable[..., Any]
    kind: str
    parameters: Sequence[Parameter]
    dtype_rule: Any
    shape_rule: Any
    key: tuple[str, ...]
    node: str | None
    checked: bool
    kernels: Mapping[str, Callable[..., Any]]  # by engine, of ops that are not this library's

    def __post_init__(self) -> None:
        parameters = self.parameters
        self.plans: dict[Any, Callable[..., Any]] = {}
        self.function: Any = None
        self.tensor_positions = tuple(i for i, p in enumerate(parameters) if p.kind in ("tensor", "tensors"))
        self.operand_positions = tuple(i for i, p in enumerate(parameters) if p.kind == "operand")
        self.key_positions = tuple((i, p.name) for i, p in enumerate(parameters) if p.name in self.key)
        self.dtype_position = next((i for i, p in enumerate(parameters) if p.name == "dtype"), None)
        simple = (_Passing.POSITIONAL_ONLY, _Passing.POSITIONAL_OR_KEYWORD)
        self.formula = self.body if all(p.passing in simple for p in parameters) else self._call_body
        # Formulas of elements take Python scalars as they are; others ask for the shapes of their tensors.
        self.takes_scalars = self.shape_rule is broadcast

    def _call_body(self, *args: Any) -> Any:
        positional, keywords = self._split(args)
        return self.body(*positional, **keywords)

    def call(self, *args: Any) -> Any:
        """The public function, with arguments in declared order (`*args` as a tuple, `**kwargs` as a dict)."""
        if self.formula is self.body:
            return self.function(*args)
        positional, keywords = self._split(args)
        return self.function(*positional, **keywords)

    # Plans

    def prepare(self, key: Any, args: tuple[Any, ...]) -> Callable[..., Any]:
        """Make, remember and return the plan for arguments like these."""
        e = engine()
        positions = self.tensor_positions + self.operand_positions
        if any_symbolic(*(args[i] for i in positions)):
            return self._remember(key, self.symbolic)
        if find_tape([args[i] for i in positions]) is not None and not any(_holds_variable(args[i]) for i in positions):
            return self._remember(key, self._writing)
        foreign = False
        for i in self.tensor_positions:
            if self.parameters[i].kind == "tensors" and not isinstance(args[i], (list, tuple)):
                # One array stands for the list of its slices.
                return self._remember(key, self._splitting(i))
            for x in args[i] if self.parameters[i].kind == "tensors" else (args[i],):
                if isinstance(x, Variable):
                    return self._remember(key, self._reading_plan(args))
                foreign |= not (x is None or isinstance(x, SCALARS) or e.is_tensor(x))
        if any(_holds_variable(args[i]) for i in self.operand_positions):
            return self._remember(key, self._reading)
        if foreign:
            return self._remember(key, self._converting)
        return self._native_plan(key, args)

    def _writing(self, *args: Any) -> Any:
        return write_call(self, args)

    def decisions(self, args: Sequence[Any]) -> tuple[dict[int, Any], Any]:
        """What the dtype rule wants each tensor parameter cast to, by position (None: as it is), and the result."""
        compute, result = self.promote(self._dtypes(args), args)
        return dict(zip(self.tensor_positions, compute)), result

    def _dtypes(self, args: Sequence[Any]) -> list[Any]:
        """What the dtype rule gets for each tensor parameter."""
        several = [self.parameters[i].kind == "tensors" for i in self.tensor_positions]
        values = [args[i] for i in self.tensor_positions]
        return [[_weak_dtype(v) for v in as_tuple(x)] if s else _weak_dtype(x) for x, s in zip(values, several)]

    def _remember(self, key: Any, plan: Callable[..., Any]) -> Callable[..., Any]:
        self.plans[key] = plan
        return plan

    def map_tensors(self, change: Callable[[Any], Any], args: Sequence[Any], operands: bool = False) -> list[Any]:
        result = list(args)
        for i in self.tensor_positions:
            x = result[i]
            if self.parameters[i].kind == "tensors" and isinstance(x, (list, tuple)):
                result[i] = [change(v) for v in x]
            else:
                result[i] = change(x)
        if operands:
            for i in self.operand_positions:
                result[i] = change(result[i])
        return result

    def _reading_plan(self, args: tuple[Any, ...]) -> Callable[..., Any]:
        if self.formula is not self.body or any(p.kind == "tensors" for p in self.parameters):
            return self._reading
        positions = tuple(i for i, x in enumerate(args) if isinstance(x, Variable))
        return _reader(len(args), positions)(self.function)

    def _reading(self, *args: Any) -> Any:
        return self.call(*self.map_tensors(read, args, operands=True))

    def _converting(self, *args: Any) -> Any:
        made = self.map_tensors(converted, args)
        lists = [i for i in self.tensor_positions if type(args[i]) in (list, tuple) and not isinstance(made[i], list)]
        if lists:  # numbers of 64 bits do not go by way of 32
            targets, _ = self.decisions(made)
            for i in lists:
                made[i] = engine().convert(args[i], targets[i]) if targets[i] in DOUBLES else made[i]
        return self.call(*made)

    def _splitting(self, position: int) -> Callable[..., Any]:
        def plan(*args: Any) -> Any:
            changed = list(args)
            changed[position] = kops.unstack(args[position])
            return self.call(*changed)

        return plan

    def kernel(self, args: Sequence[Any]) -> tuple[Callable[..., Any], bool]:
        """What computes on native tensors, and whether it is the composite's own body."""
        e = engine()
        native = self.kernels.get(e.NAME) or e.lookup(self.name, args)
        if native is not None:
            return native, False
        reason = e.GAPS.get(self.name)
        if reason is not None:
            raise NotImplementedError(f"{self.name} is not available on the {e.NAME} backend: {reason}")
        if self.kind != "primitive":
            return self.formula, True
        raise NotImplementedError(f"The {e.NAME} backend has no kernel for {self.name}.")

    def promote(self, ds: Sequence[Any], args: Sequence[Any]) -> tuple[tuple[Any, ...], Any]:
        """Run the dtype rule: the target of each tensor parameter (None: leave) and the result's dtype(s)."""
        if self.dtype_rule is None:
            return (None,) * len(ds), None
        compute, result = self.dtype_rule(*ds, **{name: args[i] for i, name in self.key_positions})
        canonical = engine().canonical
        if not isinstance(compute, tuple):
            compute = (compute,) * len(ds)
        compute = tuple(c and canonical(c) for c in compute)
        if isinstance(result, tuple):
            return compute, tuple(r and canonical(r) for r in result)
        return compute, result and canonical(result)

    def _native_plan(self, key: Any, args: tuple[Any, ...]) -> Callable[..., Any]:
        e = engine()
        check_static_types(self.parameters, args)
        kernel, is_body = self.kernel(args)
        ds = self._dtypes(args)
        compute, result = self.promote(ds, args)
        values = [x for i in self.tensor_positions for x in as_tuple(args[i])]
        lone = not any(x is not None and not isinstance(x, SCALARS) for x in values)
        fuse = e.suits(self, args) and e.fuse if hasattr(e, "fuse") else None
        raw_scalars = (is_body and not fuse and self.takes_scalars or self.name in e.SCALARS) and not lone
        steps: list[tuple[int, Callable[[Any], Any]]] = []
        before: list[tuple[int, Callable[[Any], Any]]] = []  # of Python scalars, while they are such
        for i, d, target in zip(self.tensor_positions, ds, compute):
            pairs = zip(as_tuple(args[i]), d) if isinstance(d, list) else [(args[i], d)]
            each = [self._step(x, dx, target, raw_scalars, is_body, fuse) for x, dx in pairs]
            if any(step is not None for step in each):
                weak = any(isinstance(dx, type) for dx in as_tuple(d))
                step: Any = _stepwise(each) if isinstance(d, list) else each[0]
                (before if fuse and weak else steps).append((i, step))
        position = self.dtype_position
        if position is not None and isinstance(result, str):
            wanted = result if is_body else e.native_dtype(result)
            steps.append((position, lambda _: wanted))
        if self.shape_rule is not None and any(isinstance(x, getattr(e, "GraphTensor", ())) for x in values):
            # A graph is built once, and engines take what makes no sense without a word, or fail when it runs.
            kernel = self._inferred(kernel)
        run = _with_steps(self._ruled(kernel, args) if self.checked else kernel, steps)
        if fuse:
            whole = run if result is None else lambda *a: fix_dtypes(run(*a), result)
            return self._remember(key, _with_steps(fuse(self, whole), before))
        if result is None:
            return self._remember(key, run)
        return self._remember(key, self._checked(key, run, result))

    def _inferred(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            outputs = self.infer(args)
            nothing = _nothing(outputs) if self.name in getattr(engine(), "NOTHING", ()) else None
            return kernel(*args) if nothing is None else nothing

        return run

    def _ruled(self, kernel: Callable[..., Any], args: Sequence[Any]) -> Callable[..., Any]:
        """`kernel`, after the shape rule: once for each combination of shapes and static arguments."""
        rule = self.shape_rule
        assert rule is not None, f"{self.name} is checked by a shape rule it does not have"
        facts_of = _rule_facts(tuple([_shown(p, x) for p, x in zip(self.parameters, args)]))
        passed: set[Any] = set()

        def run(*args: Any) -> Any:
            try:
                facts = facts_of(*args)
                known = facts in passed
            except (TypeError, ValueError):  # lists, arrays and shapes that are not known have no hash
                facts, known = None, False
            if not known:
                positional, keywords = self._split(args)
                _build(rule(*positional, **keywords), "bool")  # whose sizes are checked, too
                if facts is not None and len(passed) < _MOST_FACTS:
                    passed.add(facts)
            return kernel(*args)

        return run

    def _step(
        self, x: Any, d: Any, target: Any, raw_scalars: bool, is_body: bool, fuse: Any
    ) -> Callable[[Any], Any] | None:
        """How one argument becomes what the kernel wants; None when it is that already."""
        e = engine()
        if d is None:
            return None
        if isinstance(d, str):
            return None if target is None or target == d else lambda v: e.cast(v, target)
        if raw_scalars:
            if target is None or is_body:
                return None
            kind = python_kind(target)
            return None if kind is type(x) else kind
        dtype = target or e.canonical(result_type(d))
        # NumPy's scalars are arguments of compiled functions; to make tensors of them costs more than the call.
        return e.native_dtype(dtype).type if fuse else lambda v: e.convert(v, dtype)

    def _checked(self, key: Any, run: Callable[..., Any], result: Any) -> Callable[..., Any]:
        """The first call sees whether the kernel's own output dtype is the rule's; if not, every call casts it."""

        def first_call(*args: Any) -> Any:
            out = run(*args)
            fixed = fix_dtypes(out, result)
            # Of shape () NumPy gives scalars, and those of 64 bits would count as weak in the next op (see below).
            wide = any(isinstance(x, np.ndarray) and x.dtype.char in "dD" for x in as_tuple(out))
            if fixed is out and not wide:
                self.plans[key] = run
            else:
                self.plans[key] = lambda *a: fix_dtypes(run(*a), result)
            return fixed

        return first_call

    def run_functional(self, *args: Any) -> Any:
        """Functional ops: symbolic if a symbolic tensor is among the arguments, else the kernel."""
        if any_symbolic(*args):
            return self.symbolic(*args)
        if find_tape(args) is not None:
            return self._writing(*args)
        kernel, _ = self.kernel(args)
        return kernel(*args)

    # Symbolic

    def symbolic(self, *args: Any) -> Any:
        """The outputs' specs; the call becomes a node of the graph."""
        from kops.op_node import record

        outputs = self.infer(args)
        if ambient.recording:
            record(self, args, outputs)
        return outputs

    def infer(self, args: Sequence[Any]) -> Any:
        """Output specs for arguments of any kind, by the rules alone."""
        try:
            return self._infer(args)
        except (ValueError, TypeError, IndexError, NotImplementedError) as error:
            raise self._named(error, args) from (None if _is_named(error) else error.__cause__)

    def _infer(self, args: Sequence[Any]) -> Any:
        if self.kind == "functional":
            if self.shape_rule is not None:
                return self.shape_rule(*args)
            from kops.symbolic import infer_by_running

            return infer_by_running(self.formula, args, {})
        check_static_types(self.parameters, args)
        specs = self.map_tensors(spec_of, args)
        compute, result = self.promote(self._dtypes(args), args)
        flags = [s.sparse for s in sparse_rules.flatten([specs[i] for i in self.tensor_positions])]
        sparse, by_rule = any(flags), self.name in sparse_rules.RULES
        if sparse and not by_rule and self.kind == "primitive":
            raise sparse_rules.refusal(self.name)
        if self.shape_rule is not None and (by_rule or not sparse):
            ready = self._ready_specs(specs, compute)
            positional, keywords = self._split(ready)
            shapes = self.shape_rule(*positional, **keywords)
            if result is None:
                flat = tree.flatten([specs[i] for i in self.tensor_positions])
                result = next((s.dtype for s in flat if isinstance(s, KerasTensor)), config.floatx())
            outputs = _build(shapes, result)
            if sparse:
                outputs.sparse = sparse_rules.result_is_sparse(self.name, flags)
            return outputs
        if self.kind != "composite":
            raise TypeError(f"{self.name} has no symbolic form: its output depends on values.")
        with NoRecording():
            outputs = self.formula(*self._ready_specs(specs, compute))
        return tree.map_structure(fresh, each_result(_cast_spec, outputs, result))

    def _ready_specs(self, specs: list[Any], compute: tuple[Any, ...]) -> list[Any]:
        ready = list(specs)
        for i, target in zip(self.tensor_positions, compute):
            ready[i] = tree.map_structure(lambda s, t=target: _cast_spec(s, t), specs[i])
        return ready

    def _split(self, args: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for p, value in zip(self.parameters, args):
            if p.passing is _Passing.VAR_POSITIONAL:
                positional.extend(value)
            elif p.passing is _Passing.VAR_KEYWORD:
                keywords.update(value)
            elif p.passing is _Passing.KEYWORD_ONLY:
                keywords[p.name] = value
            else:
                positional.append(value)
        return positional, keywords

    # Errors

    def rescue(self, error: Exception, args: Sequence[Any]) -> Any:
        """After a failed call: raise the rules' own words if they object too, else the error as it is.

        Where the rules say that the result has no elements, there is only one, whatever the engine cannot do with
        nothing.
        """
        # What failed inside of a composite is told as its own rules tell it, as symbolic calls do.
        if _is_named(error) and self.kind != "composite":
            raise error
        if isinstance(error, NotImplementedError) and hasattr(error, "_words"):
            raise self._named(error, args) from error  # the engine refused and did not know the op
        if self.kind != "functional" and not isinstance(error, NotImplementedError):
            try:
                with NoRecording():
                    outputs = self.infer([untraced(x) for x in args])
            except (ValueError, TypeError, IndexError, NotImplementedError) as better:
                raise better from error
            nothing = _nothing(outputs)
            if nothing is not None:
                return nothing
        raise _mark_named(error)

    def _named(self, error: Exception, args: Sequence[Any]) -> Exception:
        words = getattr(error, "_words", None)  # what an op inside said: the op that was called says it
        if _is_named(error) and (words is None or self.kind != "composite"):
            return error
        words = words or str(error)
        shown = ", ".join(f"{p.name}: {_show(v)}" for p, v in zip(self.parameters, args))
        kind = type(error) if type(error) in (ValueError, TypeError, IndexError, NotImplementedError) else ValueError
        named = _mark_named(kind(f"{self.name}: {words} Called with {shown}."))
        named._words = words  # type: ignore[attr-defined]
        return named


def _nothing(outputs: Any) -> Any:
    """The only value of these specs if they have no elements, else None."""
    if any(0 not in s.shape or None in s.shape for s in tree.flatten(outputs)):
        return None
    return tree.map_structure(lambda s: engine().convert(np.zeros(s.shape, bool), s.dtype), outputs)


def _is_named(error: Exception) -> bool:
    return getattr(error, "_names_op", False)


def _mark_named(error: Exception) -> Exception:
    try:
        error._names_op = True  # type: ignore[attr-defined]
    except AttributeError:  # an exception type implemented in C without attributes
        return error
    return error


def _show(x: Any) -> str:
    if isinstance(x, (list, tuple)) and any(hasattr(v, "shape") for v in x):
        return "[" + ", ".join(_show(v) for v in x) + "]"
    shape = getattr(x, "shape", None)
    if shape is None or not hasattr(x, "dtype"):
        text = repr(x)
        return text if len(text) < 60 else text[:57] + "..."
    try:
        return f"{standardize_dtype(x.dtype)}({', '.join(map(str, shape))})"
    except (TypeError, ValueError):
        return type(x).__name__


def read(x: Any) -> Any:
    if type(x) is tuple or type(x) is list:
        return type(x)([read(v) for v in x])
    return x.value if isinstance(x, Variable) else x


def converted(x: Any) -> Any:
    """Lists and arrays of other kinds as native tensors; numbers, and what is a tensor already, as they are."""
    e = engine()
    if x is None or isinstance(x, SCALARS) or e.is_tensor(x) or isinstance(x, (KerasTensor, Variable)):
        return x
    return e.convert(x, None)


def _holds_variable(x: Any) -> bool:
    return isinstance(x, Variable) or (type(x) in (tuple, list) and any(_holds_variable(v) for v in x))


_MOST_FACTS = 4096


def _shown(p: Parameter, x: Any) -> str:
    """What a shape rule may look at, of the argument `{}`."""
    if p.kind == "tensors":
        return "tuple([getattr(x, 'shape', None) for x in {}])"
    if p.kind == "tensor":
        return "{}.shape" if hasattr(x, "shape") else "None"
    return "tuple(dict({}).items())" if p.passing is _Passing.VAR_KEYWORD else "{0} if type({0}) is int else exact({0})"


@functools.cache
def _rule_facts(shown: tuple[str, ...]) -> Any:
    """`lambda a0, a1: (a0.shape, a1)` for a tensor and a static argument."""
    names = [f"a{i}" for i in range(len(shown))]
    facts = "".join(f"{s.format(n)}, " for s, n in zip(shown, names))
    return eval(f"lambda {', '.join(names)}: ({facts})", {"exact": exact})


@functools.cache
def _reader(count: int, positions: tuple[int, ...]) -> Any:
    """Source-generated, since it runs at every op on a Variable: `lambda f: lambda a0, a1: f(a0, a1.value)`."""
    names = [f"a{i}" for i in range(count)]
    values = [f"{n}.value" if i in positions else n for i, n in enumerate(names)]
    return eval(f"lambda f: lambda {', '.join(names)}: f({', '.join(values)})")


def _weak_dtype(x: Any) -> Any:
    """A tensor's dtype name, a scalar's Python type, None for None."""
    if x is None:
        return None
    for kind in SCALARS:
        if isinstance(x, kind):
            return kind
    return engine().dtype_name(x) if engine().is_tensor(x) else spec_of(x).dtype


def python_kind(dtype: str) -> type:
    if dtype == "bool":
        return bool
    if dtype in FLOATS:
        return float
    return complex if dtype.startswith("complex") else int


def _stepwise(each: list[Any]) -> Callable[[Any], Any]:
    return lambda xs: [x if step is None else step(x) for x, step in zip(xs, each)]


def _with_steps(kernel: Callable[..., Any], steps: list[tuple[int, Callable[[Any], Any]]]) -> Callable[..., Any]:
    if not steps:
        return kernel

    def run(*args: Any) -> Any:
        changed = list(args)
        for i, step in steps:
            changed[i] = step(changed[i])
        return kernel(*changed)

    return run


def fix_dtypes(out: Any, result: Any) -> Any:
    """`out` with the dtypes of `result`; `out` itself when it has them."""
    return each_result(_fixed, out, result)


def _fixed(out: Any, result: Any) -> Any:
    if out is None or result is None:
        return out
    e = engine()
    if not e.is_tensor(out):
        return e.convert(out, result)
    if isinstance(out, (float, complex)):
        # NumPy's scalars of 64 bits are Python floats too and would count as weak in the next op.
        out = np.asarray(out)
    return out if e.dtype_name(out) == result else e.cast(out, result)


def spec_of(x: Any) -> Any:
    """A KerasTensor for an argument of any kind."""
    if x is None or isinstance(x, KerasTensor):
        return x
    if isinstance(x, Variable):
        return KerasTensor(x.shape, x.dtype, record_history=False)
    e = engine()
    if e.is_tensor(x):
        return KerasTensor(e.shape(x), e.dtype_name(x), sparse=sparse_rules.is_sparse(x), record_history=False)
    if isinstance(x, SCALARS):
        return KerasTensor((), result_type(_weak_dtype(x)), record_history=False)
    array = np.asarray(x)
    dtype = standardize_dtype(array.dtype) if hasattr(x, "dtype") else _list_dtype(array)
    return KerasTensor(array.shape, dtype, record_history=False)


def _list_dtype(array: np.ndarray) -> str:
    """The dtype of `convert_to_tensor` of a Python list."""
    if array.dtype.kind == "f":
        return config.floatx()
    if array.dtype.kind == "c":
        return result_type(complex)
    if array.dtype.kind == "i":
        return "int32" if array.size == 0 or np.abs(array).max() < 2**31 else "int64"
    return standardize_dtype(array.dtype)


def _cast_spec(spec: Any, target: str | None) -> Any:
    if not isinstance(spec, KerasTensor) or target is None or spec.dtype == target:
        return spec
    return KerasTensor(spec.shape, target, sparse=spec.sparse, ragged=spec.ragged, record_history=False)


def _build(shapes: Any, result: Any) -> Any:
    if is_shape(shapes):
        return KerasTensor(shapes, result)
    if isinstance(shapes, KerasTensor):
        return shapes
    wanted = result if isinstance(result, tuple) else (result,) * len(shapes)
    return type(shapes)(_build(s, r) for s, r in zip(shapes, wanted))


def clear_plans() -> None:
    """Forget every plan: settings are part of what rules decide, and compiled into plans."""
    from kops.declare import OPS

    for op in OPS.values():
        op.plans.clear()


config.settings.on_change.append(clear_plans)
