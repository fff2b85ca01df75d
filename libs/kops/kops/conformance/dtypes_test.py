"""Every op with a row in every dtype: it gives the right dtype and value, or is refused in the rules' own words.

What the rules say is the same on all engines, and so, by this test, is what each of them accepts. Values are compared
with the row's reference, computed wide on the very numbers that the engine holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kops.conformance import collect
from kops.conformance.rows import Row
from kops.conformance.trial import Trial, attempt, fill, outputs, specs_of, sweeps
from kops.dtypes import COMPLEX, FLOATS, INTS, limits
from kops.engine import engine

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning"),
]
DTYPES = ("bool", *INTS, *FLOATS, *COMPLEX)
LOOSE = {"bfloat16": 6e-2, "float16": 1e-2}
# The value of the sample in other dtypes is not what the reference says, for a reason:
UNCHECKED = {
    "saturate_cast": "the reference is for these very floats",
    "in_top_k": "the sample holds infinities",
    "lu_factor": "the samples of whole numbers are singular, which leaves a choice",
    "perspective_transform": "numbers on the border between two integers",
    "matrix_rank": "rounding decides",
    "istft": "the sample is no spectrum any more",
}
_SINGULAR = ("cholesky", "inv", "lu_factor", "solve")  # a matrix of Trues
_THROUGH_INT64 = ("gcd", "lcm")


def _row(name: str) -> Row | None:
    rows = collect.rows()[name]
    return next((r for r in rows if r.sweep != () and sweeps((r.args, r.static))), None)


NAMES = [n for n in sorted(collect.rows()) if _row(n) and _row(n).op not in engine().GAPS]  # type: ignore[union-attr]


@pytest.mark.parametrize("name", NAMES)
def test_dtypes(name):
    row = _row(name)
    wrong = [f"{d}: {words}" for d in DTYPES for words in [_fault(row, d)] if words]
    assert not wrong, "\n".join(wrong)


def _fault(row: Row, dtype: str) -> str:
    """What is wrong with the op in this dtype."""
    e = engine()
    trial = Trial(row.op, row.args, row.static, dtype)
    arrays = trial.arrays()
    want, objection = attempt(lambda: trial.call(trial.symbols()))
    got, error = attempt(lambda: trial.call(arrays))
    if objection is not None:
        if type(error) is type(objection) and str(error) == str(objection):
            return ""
        return f"refused symbolically ({objection!r}), eager {specs_of(got) if error is None else repr(error)}"
    if error is not None:
        return "" if dtype == "bool" and row.op in _SINGULAR else f"accepted symbolically, eager {error!r}"
    if [d for _, d in specs_of(got)] != [d for _, d in specs_of(want)]:
        return f"gives {specs_of(got)}, not {specs_of(want)}"
    whole = dtype == "bool" or dtype in INTS
    finite = all(np.isfinite(x).all() for x in trial.numbers)
    if row.ref is None or row.op in UNCHECKED or (whole and not finite):
        return ""
    real = any(d in FLOATS or d in COMPLEX for _, d in specs_of(want))
    held = [_wide(e.to_numpy(x), real, m.kind == "bool") for x, m in zip(arrays, trial.makers)]
    expected, no_reference = attempt(lambda: _reference(row, trial, held))
    if no_reference is not None:  # NumPy has no such function of these numbers
        return ""
    if dtype in COMPLEX and not finite:  # engines differ in what an infinite complex number is
        return ""
    if (
        e.NAME == "torch"
        and row.op in _THROUGH_INT64
        and dtype == "uint64"
        and any(x.dtype == np.uint64 and (x >= 2**63).any() for x in held)
    ):
        return ""  # they compute as int64: see kops.backends.torch.unsigned
    first = slice(0, 1 if row.op == "top_k" else None)  # which of equal numbers is the engine's choice
    return _difference(outputs(got)[first], outputs(expected)[first])


def _reference(row: Row, trial: Trial, held: list[Any]) -> Any:
    if not callable(row.ref):
        raise TypeError("a value for the row's own numbers")
    args, static = fill((trial.args, trial.static), held)
    return row.ref(*args, **static)


def _wide(x: Any, real: bool, mask: bool) -> Any:
    x = np.asarray(x)
    if mask:
        return x
    if x.dtype.kind == "c":
        return x.astype(np.complex128)
    if x.dtype.kind not in "biu" or real:
        return x.astype(np.float64)
    return x if x.dtype.kind == "b" or x.dtype == np.uint64 else x.astype(np.int64)


def _difference(got: list[Any], want: list[Any]) -> str:
    e = engine()
    for g, w in zip(got, want):
        if g is None or w is None or not e.is_tensor(g):
            continue
        dtype = e.dtype_name(g)
        g, w = np.asarray(e.to_numpy(g)), np.asarray(e.to_numpy(w) if e.is_tensor(w) else w)
        if dtype in FLOATS + COMPLEX:
            t = LOOSE.get(dtype, 1e-4)
            g = g.astype(np.complex128 if dtype in COMPLEX else np.float64)
            same = g.shape == w.shape and np.allclose(g, w, rtol=t, atol=t, equal_nan=True)
        else:
            w = np.real(w)
            if w.dtype.kind == "f" and np.isinf(w).any():
                low, high = limits(dtype)
                bounds = {np.inf: high, -np.inf: low}
                w = np.array([bounds.get(v, v) for v in w.ravel()], g.dtype).reshape(w.shape)
            same = np.array_equal(g, w.astype(g.dtype))
        if not same:
            return f"gives {dtype} {g.ravel()[:6]}, not {w.ravel()[:6]}"
    return ""
