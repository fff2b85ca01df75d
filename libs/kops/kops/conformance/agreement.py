"""What must agree about one call: eager, symbolic, with unknown dimensions, compiled, recorded.

`disagreements(sample)` says what does not, as `(kind, words)`.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, NamedTuple

import numpy as np

from kops import tree
from kops.conformance.samples import Sample
from kops.conformance.trial import attempt, check_close, fill, outputs, specs_of
from kops.declare import OPS
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.tape import TraceTensor, record
from kops.variable import Variable

# What agreement cannot be had about, and why. Nothing else is left out.
_VALUES = "which positions exist and which matrices are singular is in the numbers, which symbolic calls do not see"
BY_VALUE = dict.fromkeys(
    (
        "get_item", "take", "take_along_axis", "scatter", "scatter_update", "slice", "slice_update", "bincount",
        "unravel_index", "cholesky", "cholesky_inverse", "inv", "solve", "solve_triangular", "lu_factor", "lstsq",
        "unique", "segment_sum", "segment_max", "segment_min", "segment_prod", "sparse_categorical_crossentropy",
        "eig", "eigh", "svd", "pinv", "one_hot", "multi_hot", "ctc_loss",
    ),
    _VALUES,
)  # fmt: skip
SCALAR_AXIS = "NumPy and PyTorch take the axes 0 and -1 of a scalar; to look at every call for it costs too much"
RULES_EAGERLY = (
    "torch.compile traces kernels without the rules, of which it could not follow all, and ends where they fail"
)
NOT_UNIQUE = ("qr", "svd", "eig", "eigh")  # of matrices without full rank: signs and null spaces are free
RANK_BY_SIZE = {
    "cross": "vectors of 2 and of 3 elements give other ranks; an unknown size counts as 3",
    "squeeze": "axes of length 1 go; an unknown length counts as another",
}


class Outcome(NamedTuple):
    """What a call gave: `specs` and `value`, or `error`."""

    value: Any
    specs: Any
    error: Any

    def __str__(self) -> str:
        return f"{type(self.error).__name__}: {self.error}" if self.error is not None else f"{self.specs}"


def outcome(function: Callable[[], Any]) -> Outcome:
    value, error = attempt(function)
    if error is None:
        specs, error = attempt(
            lambda: [s if isinstance(s, tuple) else repr(s) for s in specs_of(value)]
        )  # an output of no dtype of ours is a failure, too
    return Outcome(value, None, error) if error is not None else Outcome(value, specs, None)


def values(sample: Sample) -> list[Any]:
    """The arguments in their forms."""
    e = engine()

    def formed(form: str, x: Any) -> Any:
        if form == "numpy":
            return np.array(e.to_numpy(x))
        if form == "list":
            array = e.to_numpy(x)
            return (array.astype(np.float32) if array.dtype.kind not in "biufc" else array).tolist()
        return Variable(x, dtype=e.dtype_name(x), trainable=False) if form == "variable" else x

    return [formed(f, x) for f, x in zip(sample.forms, sample.trial.arrays())]


def eager(sample: Sample) -> Outcome:
    return outcome(lambda: sample.trial.call(values(sample)))


def symbols(sample: Sample, given: Any, unknown: Callable[[int, int], bool]) -> list[Any]:
    """Symbolic arguments; lists stay as they are. `unknown(place, axis)`: which dimensions have no size."""
    made = sample.trial.symbols()
    return [
        v if form == "list" else KerasTensor([None if unknown(i, a) else d for a, d in enumerate(s.shape)], s.dtype)
        for i, (form, v, s) in enumerate(zip(sample.forms, given, made))
    ]


def compute(function: Callable[[], Any]) -> Any:
    return function()


def infer(sample: Sample, given: Any) -> Outcome:
    """By the rules, also where no argument is symbolic."""
    op = sample.trial.op

    def run() -> Any:
        if any(isinstance(x, KerasTensor) for x in given):
            return sample.trial.call(given)
        args, static = fill((sample.trial.args, sample.trial.static), given)
        bound = _bound(op, args, static)
        return op.infer(bound)

    return outcome(run)


def _bound(op: Any, args: Any, static: Any) -> list[Any]:
    import inspect

    bound = inspect.signature(op.body).bind(*args, **static)
    bound.apply_defaults()
    return list(bound.arguments.values())


def disagreements(sample: Sample, compiled: Any = None, abstract: Any = None) -> Iterator[tuple[str, str]]:
    """Everything that disagrees about a sample.

    Args:
        compiled: the engine's `compiled(function, arrays, dynamic)` (`kops.conformance.engines`), or None not to
            compile.
        abstract: the engine's `abstract(function)`, which traces in place of computing where an op can be traced
            (and there are no values to compare), or None to compute.
    """
    trial = sample.trial
    if not trial.makers or engine().GAPS.get(trial.op.name):
        return
    given = values(sample)
    run = abstract if abstract is not None and sample.row.jit else compute
    real = outcome(lambda: run(lambda: trial.call(given)))
    if isinstance(real.error, NotImplementedError):
        return  # what an engine has no way to do is said when it should
    static = infer(sample, symbols(sample, given, lambda place, axis: False))
    by_value = not sample.row.jit or trial.op.name in BY_VALUE
    if real.error is not None and static.error is None and trial.op.name in BY_VALUE:
        pass
    elif static.error is not None and "a tensor with 0 dimensions" in str(static.error) and real.error is None:
        pass  # SCALAR_AXIS
    elif (real.error is None) != (static.error is None):
        kind = "eager refuses" if static.error is None else "symbolic refuses"
        yield kind, f"eager {real}; symbolic {static}"
    elif real.error is not None:
        if type(real.error) is not type(static.error) or _words(real.error) != _words(static.error):
            yield "words", f"eager {real}; symbolic {static}"
    elif not (_fits(real.specs, static.specs) if by_value else real.specs == static.specs):
        yield "spec", f"eager {real}; symbolic {static}"
    elif _structure(real.value) != _structure(static.value):
        yield "structure", f"eager {_structure(real.value)}; symbolic {_structure(static.value)}"
    dynamic = sample.row.dynamic and trial.op.name not in RANK_BY_SIZE
    if static.error is None and dynamic:
        yield from _dynamic(sample, given, real, static)
    if real.error is None and static.error is None and sample.row.jit:
        yield from _recorded(sample, given, real, lambda place, axis: False, run)
        if dynamic and sample.row.dynamic != "first" and run is compute:  # traced lengths are no numbers
            yield from _recorded(sample, given, real, lambda place, axis: axis == 0, run)
    if compiled is not None and sample.row.jit and "list" not in sample.forms:
        yield from _compiled(sample, real, compiled)


def _dynamic(sample: Sample, given: Any, real: Outcome, static: Outcome) -> Iterator[tuple[str, str]]:
    rank = max((len(m.shape) for m in sample.trial.makers), default=0)
    first = sample.row.dynamic == "first"
    choices: dict[str, Any] = {"leading": lambda place, axis: axis == 0 and not (first and place)}
    if sample.row.dynamic == "all":
        choices["all"] = lambda place, axis: True
        for i in range(1, rank):
            choices[f"axis {i}"] = lambda place, axis, i=i: axis == i
    for what, unknown in choices.items():
        template = infer(sample, symbols(sample, given, unknown))
        if template.error is not None:
            if "known" in str(template.error):
                continue  # it says which size it needs
            yield "unknown refuses", f"{what} unknown: {template}; known: {static}"
        elif not _fits(static.specs, template.specs):
            yield "template", f"{what} unknown: {template}; known: {static}"


def _recorded(sample: Sample, given: Any, real: Outcome, unknown: Any, run: Any) -> Iterator[tuple[str, str]]:
    if any(f in ("list",) for f in sample.forms):
        return
    specs = symbols(sample, given, unknown)
    if infer(sample, specs).error is not None:
        return  # `_dynamic` has said so
    tape, error = attempt(lambda: record(sample.trial.function, specs, ()))
    what = "recorded" if not unknown(0, 0) else "recorded with unknown dimensions"
    if error is not None:
        if "known" in str(error) or isinstance(error, NotImplementedError):
            return  # it says which size it needs, or that it runs on values
        yield what, f"{type(error).__name__}: {error}; eager {real}"
        return
    result = outcome(lambda: run(lambda: evaluate(tape, sample.trial.arrays())))
    if unknown(0, 0) and any(w in str(result.error) for w in ("can be any", "of size 0 into", "nothing to choose")):
        return  # a length of 0 cannot be inferred where it was unknown
    yield from _same(what, sample, result, real, run is compute)


def _compiled(sample: Sample, real: Outcome, compiled: Any) -> Iterator[tuple[str, str]]:
    if getattr(engine(), "GRAPH_GAPS", {}).get(sample.trial.op.name):
        return
    arrays = sample.trial.arrays()
    got = outcome(lambda: compiled(sample.trial.function, arrays, False))
    if got.error is None and got.value is None:
        return
    if isinstance(got.error, NotImplementedError) or "object is not initialized" in str(got.error):
        return  # a graph gap inside of a composite; an empty tensor, for which OpenVINO compiles no program
    if "data-dependent" in str(got.error):
        return  # a graph of unknown sizes
    if engine().NAME == "torch" and (real.error is not None or got.error is not None and _nothing(real)):
        return  # RULES_EAGERLY
    if real.error is not None and sample.trial.op.name in BY_VALUE:
        return
    if (got.error is None) != (real.error is None):
        yield "compiled", f"{str(got)[:300]}; eager {real}"
    elif real.error is None:
        yield from _same("compiled", sample, got, real)


def _same(what: str, sample: Sample, got: Outcome, real: Outcome, valued: bool = True) -> Iterator[tuple[str, str]]:
    if got.error is not None:
        yield what, f"{type(got.error).__name__}: {str(got.error)[:300]}; eager {real}"
    elif got.specs != real.specs:
        yield what, f"{got}; eager {real}"
    elif valued and sample.trial.op.name not in NOT_UNIQUE and not _undefined(sample, real):
        _, error = attempt(lambda: check_close(got.value, real.value, max(sample.row.tol, 1e-4), what))
        if error is not None:
            yield f"{what} value", str(error)[:400]


def _nothing(real: Outcome) -> bool:
    """Whether there are no elements in any output."""
    return all(isinstance(s, tuple) and 0 in s[0] for s in real.specs)


def _undefined(sample: Sample, real: Outcome) -> bool:
    """What engines leave in place of the factors of a matrix that has none, or divide by zeros that are not exact."""
    if sample.trial.op.name == "lstsq":
        return sample.trial.static.get("rcond") == 0
    return sample.trial.op.name == "cholesky" and bool(np.isnan(engine().to_numpy(real.value)).any())


def evaluate(tape: Any, arrays: Any) -> Any:
    """Run a tape on native tensors, as an exporter's target would."""
    e = engine()
    known: dict[int, Any] = {id(t): a for t, a in zip(tree.flatten(tape.inputs), arrays)}

    def fetch(x: Any) -> Any:
        if type(x) is TraceTensor:
            return known[id(x)]
        if isinstance(x, (list, tuple)):
            return type(x)(*map(fetch, x)) if hasattr(x, "_fields") else type(x)(fetch(v) for v in x)
        return {k: fetch(v) for k, v in x.items()} if isinstance(x, dict) else x

    for call in tape.calls:
        args = [fetch(a) for a in call.args]
        if call.op == "dimension":
            result = e.convert(e.shape(args[0])[args[1]], "int32")
        elif call.op == "cast":
            result = e.cast(e.convert(args[0], None), args[1])
        else:
            result = OPS[call.op].call(*args)
        for out, value in zip(tree.flatten(call.outputs), outputs(result)):
            known[id(out)] = value
    return tree.map_structure(lambda x: e.convert(x, None) if isinstance(x, np.ndarray) else x, fetch(tape.outputs))


def _words(error: Exception) -> str:
    return str(error).partition(" Called with ")[0]


def _fits(real: Any, template: Any) -> bool:
    def fit(r: Any, t: Any) -> bool:
        if not (isinstance(r, tuple) and isinstance(t, tuple) and len(r) == len(t) == 2):
            return bool(r == t)
        same = r[1] == t[1] and len(r[0]) == len(t[0])
        return same and all(b is None or a == b or a is None for a, b in zip(r[0], t[0]))

    return len(real) == len(template) and all(map(fit, real, template))


def _structure(x: Any) -> Any:
    return [_structure(v) for v in x] if isinstance(x, (list, tuple)) else None
