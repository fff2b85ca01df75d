"""The generated suite: every row on the active engine (`KERAS_BACKEND`), one test per op and kind of check."""

from __future__ import annotations

import importlib
import json
import re
from typing import Any

import numpy as np
import pytest

from kops import op_node, tree
from kops.conformance import collect
from kops.conformance.rows import Row
from kops.conformance.trial import Trial, attempt, check_close, outputs, specs_of, sweeps, trials
from kops.declare import OPS
from kops.engine import engine
from kops.function import Function
from kops.keras_tensor import KerasTensor
from kops.op import clear_plans

ROWS = collect.rows()
harness = importlib.import_module(f"kops.conformance.engines.{engine().NAME}")
# NaN and infinity are legitimate results of the samples in other dtypes.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
each_op = pytest.mark.parametrize("name", sorted(ROWS))

_FLOAT_SWEEP = ("float16", "bfloat16", "float32", "int32", "bool", ("float16", "bfloat16"), ("int32", "float16"))
_INT_SWEEP = ("int8", "uint8", "int32", "int64")


@pytest.mark.parametrize("family", collect.families())
def test_loads(family):
    module = collect.load_family(family)
    assert hasattr(module, "ROWS") or hasattr(module, "EXEMPT")


@pytest.mark.parametrize("family", collect.op_families())
def test_declares(family):
    collect.load_ops(family)


def _gap(name: str) -> str | None:
    return engine().GAPS.get(name)


def _rows(name: str, checks: str = "") -> list[Row]:
    """The rows of an op; skips ops that the engine says it cannot do (see `test_gap`)."""
    rows = ROWS[name]
    if _gap(rows[0].op):
        pytest.skip(f"gap: {_gap(rows[0].op)}")
    if checks:
        rows = [row for row in rows if getattr(row, checks)]
        if not rows:
            pytest.skip(f"no {checks} in the rows")
    return rows


@pytest.mark.parametrize("name", sorted(n for n in ROWS if _gap(ROWS[n][0].op)))
def test_gap(name):
    """A gap that works is a mistake in the list."""
    for row in ROWS[name]:
        trial = Trial(row.op, row.args, row.static)
        result, error = attempt(lambda trial=trial: trial.call(trial.arrays()))
        assert error is not None, f"{trial} is listed in GAPS but gives {result!r}"
        assert isinstance(error, NotImplementedError), f"{trial}: a gap raises NotImplementedError, not {error!r}"


@each_op
def test_value(name):
    for row in _rows(name):
        for trial in trials(row):
            arrays = trial.arrays()
            got = trial.call(arrays)
            if row.ref is not None:
                check_close(got, trial.expected(row.ref), _tolerance(row, trial), trial)
    # Plain NumPy arrays, read-only ones, are arguments, too.
    hosts = [np.array(engine().to_numpy(a)) for a in arrays]
    for host in hosts:
        host.setflags(write=False)
    check_close(trial.call(hosts), got, _tolerance(row, trial), f"{trial} with NumPy arguments")


def _tolerance(row: Row, trial: Trial) -> float:
    wide = trial.dtypes and all(d in ("float64", "complex128") for d in trial.dtypes)
    return row.tol * 1e-3 if wide and engine().canonical("float64") == "float64" else row.tol


@each_op
def test_dtype_and_shape(name):
    """Eager and symbolic agree on shapes and dtypes, and on which dtypes they accept."""
    for row in _rows(name):
        kind = sweeps((row.args, row.static))
        usual = _FLOAT_SWEEP if kind == "float" else _INT_SWEEP if kind == "int" else ("float32",)
        chosen = dict.fromkeys((*row.dtypes, *(usual if row.sweep is None else row.sweep)))
        for dtypes in chosen:
            trial = Trial(row.op, row.args, row.static, dtypes)
            symbolic, objection = attempt(lambda trial=trial: trial.call(trial.symbols()))
            eager, error = attempt(lambda trial=trial: trial.call(trial.arrays()))
            if objection is None and error is not None:
                raise AssertionError(f"{trial}: symbolic gives {specs_of(symbolic)}, eager fails") from error
            assert type(objection) is type(error), f"{trial}: symbolic {objection!r}, eager {error!r}"
            if error is not None:
                assert str(objection) == str(error), f"{trial}: symbolic {objection}\neager {error}"
                assert dtypes not in row.dtypes, f"{trial} is refused: {error}"
                continue
            if not trial.makers:
                continue
            got, want = specs_of(eager), specs_of(symbolic)
            if not row.jit:  # shapes depend on values: compatible is all they can be
                assert [_compatible(g, w) for g, w in zip(got, want)] == [True] * len(want), f"{trial}: {got}, {want}"
            else:
                assert got == want, f"{trial}: eager {got}, symbolic {want}"
            assert tree.map_structure(lambda x: None, _plain(eager)) == tree.map_structure(
                lambda x: None, _plain(symbolic)
            ), f"{trial}: eager structure {type(eager).__name__}, symbolic {type(symbolic).__name__}"


def _plain(x: Any) -> Any:
    return [_plain(v) for v in x] if isinstance(x, (list, tuple)) else None


def _compatible(got: Any, want: Any) -> bool:
    if not isinstance(got, tuple) or not isinstance(want, tuple):
        return got == want
    (shape, dtype), (template, wanted) = got, want
    same_rank = len(shape) == len(template)
    return dtype == wanted and same_rank and all(t is None or s == t for s, t in zip(shape, template))


@each_op
def test_dynamic(name):
    """With unknown dimensions the symbolic shape leaves room for the real one."""
    for row in _rows(name, "dynamic"):
        trial = Trial(row.op, row.args, row.static)
        if not trial.makers:
            continue
        got = specs_of(trial.call(trial.arrays()))
        for what, unknown in (("leading", lambda i: i == 0), ("all", lambda i: True)):
            if what == "all" and row.dynamic != "all":
                continue
            want = specs_of(trial.call(trial.symbols(unknown, row.dynamic == "first")))
            assert len(got) == len(want) and all(map(_compatible, got, want)), (
                f"{trial} with {what} dimensions unknown: symbolic {want}, real {got}"
            )


@each_op
def test_bad(name):
    """Wrong calls raise the same error in the same words, eager and symbolic."""
    for row in _rows(name, "bad"):
        for wrong in row.bad:
            trial = Trial(row.op, wrong.args, wrong.static)
            eager, error = attempt(lambda trial=trial: trial.call(trial.arrays()))
            assert error is not None, f"{trial} is accepted: {specs_of(eager)}"
            assert isinstance(error, wrong.error), f"{trial} raises {error!r}, expected {wrong.error}"
            if wrong.match:
                assert re.search(wrong.match, str(error)), f"{trial} says {error}, expected {wrong.match!r}"
            if trial.makers:
                symbolic, objection = attempt(lambda trial=trial: trial.call(trial.symbols()))
                assert objection is not None, f"{trial}: symbolic accepts it: {specs_of(symbolic)}"
                assert type(objection) is type(error), f"{trial}: symbolic {objection!r}, eager {error!r}"
                assert str(objection) == str(error), f"{trial}: symbolic {objection}\neager {error}"


@each_op
def test_compiled(name):
    """The compiled op gives what the eager one gives; listed graph gaps really are gaps."""
    rows = _rows(name, "jit")
    gap = getattr(engine(), "GRAPH_GAPS", {}).get(rows[0].op)
    for row in rows:
        trial = Trial(row.op, row.args, row.static)
        if not trial.makers:
            continue
        arrays = trial.arrays()
        if gap and all(x.size for x in trial.numbers):  # of nothing `jit` makes no graph
            result, error = attempt(lambda t=trial, a=arrays: harness.compiled(t.function, a, False))
            assert error is not None, f"{trial} is listed in GRAPH_GAPS but gives {result!r}"
        if gap:
            continue
        got = harness.compiled(trial.function, arrays, row.dynamic)
        if got is None:
            pytest.skip("nothing to compile")
        want = trial.call(arrays)
        assert specs_of(got) == specs_of(want), f"{trial}: compiled {specs_of(got)}, eager {specs_of(want)}"
        check_close(got, want, row.tol, f"compiled {trial}")
    if gap:
        pytest.skip(f"graph gap: {gap}")


@each_op
def test_gradient(name):
    """Gradients against central differences along three directions, in float64."""
    if not engine().HAS_GRADIENTS:
        pytest.skip("no gradients on this engine")
    rows = _rows(name, "grad")
    with harness.wide():
        clear_plans()  # JAX: plans made for 32 bits stay out, and these stay in
        try:
            for row in rows:
                _check_gradient(row)
        finally:
            clear_plans()


def _check_gradient(row: Row) -> None:
    e = engine()
    trial = Trial(row.op, row.args, row.static, "float64")
    arrays = trial.arrays()
    wanted = [i for i, m in enumerate(trial.makers) if m.kind == "float"]
    rng = np.random.default_rng(7)
    floats = [x for x in outputs(trial.call(arrays)) if e.is_tensor(x) and e.dtype_name(x) == "float64"]
    assert floats, f"{trial}: no float64 output to differentiate"
    weights = [rng.normal(size=tuple(e.shape(x))) for x in floats]

    def weighted(*values: Any) -> Any:
        parts = [x for x in outputs(trial.call(values)) if e.is_tensor(x) and e.dtype_name(x) == "float64"]
        terms = [(x * e.convert(w, "float64")) for x, w in zip(parts, weights)]
        return sum(_total(t) for t in terms)

    found = harness.gradients(weighted, arrays, wanted)
    for _ in range(3):
        steps = [rng.normal(size=trial.numbers[i].shape) for i in wanted]

        def at(scale: float, steps: Any = steps) -> float:
            moved = list(arrays)
            for i, step in zip(wanted, steps):
                moved[i] = e.convert(trial.numbers[i] + scale * step, "float64")
            return float(e.to_numpy(weighted(*moved)))

        eps = 1e-6
        numeric = (at(eps) - at(-eps)) / (2 * eps)
        analytic = sum(float(np.sum(g * s)) for g, s in zip(found, steps))
        assert np.isclose(analytic, numeric, rtol=1e-5, atol=1e-6), (
            f"{trial}: gradient {analytic} along a direction, finite differences {numeric}"
        )


def _total(x: Any) -> Any:
    """The sum of all elements, by the engine itself: the suite must not rest on the op under test."""
    if hasattr(x, "sum"):
        return x.sum()
    import tensorflow as tf

    return tf.reduce_sum(x)


@each_op
def test_node(name):
    """The graph node survives its config, and the graph computes what the op computes."""
    for row in _rows(name, "node"):
        trial = Trial(row.op, row.args, row.static)
        if not trial.makers:
            continue
        symbols = trial.symbols()
        made = trial.call(symbols)
        history = getattr(outputs(made)[0], "_keras_history", None)
        assert history is not None, f"{trial} leaves no node"
        node = history.operation._inbound_nodes[history.node_index]
        operation = node.operation
        if not isinstance(operation, op_node.OpNode):
            continue  # a composite without a node of its own class
        class_name = operation.class_path[1]
        config = _plain_config(operation.get_config())
        again = op_node.from_config(class_name, config)
        assert again.op.name == operation.op.name, f"{trial}: class {class_name} names {again.op.name}"
        spec = specs_of(again(*node.args, **node.kwargs))
        assert spec == specs_of(made), f"{trial}: from its config {config} comes {spec}, not {specs_of(made)}"
        arrays = trial.arrays()
        function = Function(symbols, again(*node.args, **node.kwargs))
        check_close(function(arrays), trial.call(arrays), row.tol, f"graph of {trial}")


def _plain_config(config: dict[str, Any]) -> dict[str, Any]:
    """As a file holds it, where it is plain JSON (arrays and dtypes have codecs above this library)."""
    try:
        return json.loads(json.dumps(config))
    except TypeError:
        return config


def test_function_of_unknown_op_is_refused():
    with pytest.raises(ValueError, match="NoSuchOp"):
        op_node.from_config("NoSuchOp", {})


def test_rows_name_ops():
    unknown = {row.op for rows in ROWS.values() for row in rows} - set(OPS)
    assert not unknown, f"Rows of ops that do not exist: {sorted(unknown)}"


def test_symbols_are_symbolic():
    trial = Trial("add", ROWS["elementwise.add"][0].args, {})
    assert all(isinstance(x, KerasTensor) for x in trial.symbols())


def _family(op: str) -> str:
    return OPS[op].body.__module__.rpartition(".")[2]


@pytest.mark.parametrize("op", collect.public_ops(), ids=lambda op: f"{_family(op)}.{op}")
def test_has_row(op):
    covered = {row.op for rows in ROWS.values() for row in rows}
    assert op in covered or collect.exempt().get(op), (
        f"{op} has no row: add one to kops/conformance/<family>.py, or a reason to its EXEMPT."
    )
