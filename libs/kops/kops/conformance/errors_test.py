"""Wrong calls derived from the declarations: every engine refuses them, eager and symbolic, in the same words.

Of each op the first row is taken and one argument made wrong: an axis out of range, shapes that do not broadcast, an
unknown word or dtype, None where a tensor belongs, an unknown keyword. What is special to an op stands in its rows
(`bad=`).
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from kops import shapes
from kops.conformance import collect
from kops.conformance.rows import F, Maker
from kops.conformance.trial import Trial, attempt, specs_of
from kops.declare import OPS
from kops.engine import engine

ROWS = {row.op: row for rows in reversed(collect.rows().values()) for row in reversed(rows)}
AXES = ("axis", "axes", "axis1", "axis2", "axisa", "axisb", "axisc", "source", "destination")
WORDS = (
    "padding", "data_format", "interpolation", "method", "mode", "side", "indexing", "fill_mode", "reduction",
    "window", "strategy", "activation",
)  # fmt: skip
NO_BROADCAST = r"\(2, 3\) and \(4,\) do not broadcast"
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def _bound(row):
    """The arguments of a row by name; None for ops that take them otherwise."""
    op = OPS[row.op]
    simple = all(p.passing in (p.passing.POSITIONAL_OR_KEYWORD, p.passing.KEYWORD_ONLY) for p in op.parameters)
    if not simple or engine().GAPS.get(row.op):
        return None
    return {**dict(zip([p.name for p in op.parameters], row.args)), **row.static}


def _wrong_calls():
    for name, row in sorted(ROWS.items()):
        op, bound = OPS[name], _bound(row)
        if bound is None or op.kind == "functional":
            continue
        for p in op.parameters:
            if p.kind == "static" and p.name in AXES:
                yield name, f"{p.name} out of range", {**bound, p.name: 77}, ValueError, "77"
                yield name, f"{p.name} no int", {**bound, p.name: 1.5}, (TypeError, ValueError), "1.5"
            if p.kind == "static" and p.name in WORDS:
                yield name, f"unknown {p.name}", {**bound, p.name: "crooked"}, ValueError, "crooked"
            if p.name == "dtype":
                yield name, "unknown dtype", {**bound, "dtype": "float31"}, ValueError, "float31"
            if p.kind == "tensor" and p.default is p.EMPTY:
                yield name, f"{p.name} is None", {**bound, p.name: None}, TypeError, p.name
        if op.shape_rule is shapes.broadcast:
            first, second = (p.name for p in op.parameters[:2])
            made = [_like(bound[first], 2, 3), _like(bound[second], 4)]
            yield name, "no broadcast", {**bound, first: made[0], second: made[1]}, ValueError, NO_BROADCAST


def _like(argument, *shape):
    if not isinstance(argument, Maker):
        return F(*shape)
    return Maker(shape, argument.kind, argument.dtype, lambda rng: np.ones(shape, int))


CALLS = list(_wrong_calls())


@pytest.mark.parametrize("place", range(len(CALLS)), ids=[f"{c[0]}: {c[1]}" for c in CALLS])
def test_wrong_call(place):
    name, _, bound, kind, words = CALLS[place]
    trial = Trial(name, (), bound)
    eager, error = attempt(lambda: trial.call(trial.arrays()))
    assert error is not None, f"{trial} is accepted: {specs_of(eager)}"
    symbolic, objection = attempt(lambda: trial.call(trial.symbols()))
    assert objection is not None, f"{trial}: symbolic accepts it: {specs_of(symbolic)}"
    for e in (error, objection):
        assert isinstance(e, kind), f"{trial} raises {e!r}, expected {kind}"
        text = str(e)
        assert text.startswith(f"{name}: ") and " Called with " in text, f"{trial} says: {text}"
        assert re.search(words, text), f"{trial} says {text}, expected {words!r}"
    assert str(error) == str(objection), f"{trial}: symbolic {objection}\neager {error}"


def test_unknown_keyword():
    for name in sorted(n for n in ROWS if _bound(ROWS[n])):
        with pytest.raises(TypeError, match="crooked"):
            OPS[name].function(crooked=1)
