"""Every op under the engine's transformations: one test per op and transformation, one row of each op.

`jax.jit`, `torch.compile(fullgraph=True)` and `tf.function` are in `suite.py`, as are gradients.
"""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from kops.conformance import collect
from kops.conformance.engines.exceptions import EXCEPTIONS
from kops.conformance.rows import Row
from kops.conformance.trial import Trial, attempt, check_close, outputs
from kops.engine import engine

harness: Any = importlib.import_module(f"kops.conformance.engines.{engine().NAME}")
COMPOSITIONS = getattr(harness, "COMPOSITIONS", {})
pytestmark = pytest.mark.filterwarnings("ignore")


def _first_rows() -> dict[str, Row]:
    """The first row of each op that is compiled at all, one with gradients if there is one."""
    chosen: dict[str, Row] = {}
    for rows in collect.rows().values():
        for row in sorted(rows, key=lambda r: not r.grad):
            if row.jit and Trial(row.op, row.args, row.static).makers and row.op not in engine().GAPS:
                chosen.setdefault(row.op, row)
    return chosen


ROWS = _first_rows() if COMPOSITIONS else {}


@pytest.mark.parametrize("what", COMPOSITIONS)
@pytest.mark.parametrize("op", sorted(ROWS))
def test_composes(op, what):
    row = ROWS[op]
    trial = Trial(row.op, row.args, row.static)
    arrays = trial.arrays()
    if not all(engine().is_tensor(x) for x in outputs(trial.call(arrays))):
        pytest.skip("answers with Python values")
    reason = EXCEPTIONS[what].get(op)

    def compare() -> None:
        for got, want in COMPOSITIONS[what](trial.function, arrays, row.grad):
            check_close(got, want, max(row.tol, 1e-5), f"{what} of {trial}")

    if reason is None:
        compare()
    else:
        _, error = attempt(compare)
        assert error is not None, f"{trial} passes {what}, but stands in EXCEPTIONS: {reason}"


def test_exceptions_name_ops():
    for what in COMPOSITIONS:
        assert not EXCEPTIONS[what].keys() - ROWS.keys()
