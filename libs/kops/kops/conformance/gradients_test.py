"""Every op of floats is differentiated by finite differences in its rows or here, or it is said why not."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from kops.conformance import collect
from kops.conformance.rows import B, F, I, L, P, row
from kops.conformance.suite import _check_gradient
from kops.conformance.trial import Trial, makers, specs_of
from kops.declare import OPS
from kops.engine import engine
from kops.op import clear_plans

ROWS = collect.rows()
harness = importlib.import_module(f"kops.conformance.engines.{engine().NAME}")
HOLES = L([[1.0, 4.0, 3.0], [2.0, -1.0, 0.5]])
ROTATED = L([[0.9137, 0.1391, 0.3719, -0.1213, 1.0771, 0.2333, 0.0117, 0.0223]])
_SYMMETRIC = np.array([[4.0, 1.0, 0.3], [1.0, 3.0, 0.2], [0.3, 0.2, 1.0]])


def grad(op, *args, **static):
    return row(op, *args, ref=None, grad=True, note="for its gradient", **static)


MORE = [
    grad("array", F(2, 3)), grad("_convert", F(2)), grad("full_like", F(2), F(), dtype="float64"),
    grad("geomspace", P(2), P(2, low=3.0, high=5.0), num=4), grad("logspace", F(2), F(2), num=4),
    grad("meshgrid", F(2), F(3)), grad("mod", F(3, low=3.0, high=4.4), L([1.7, 2.1, 0.9])),
    grad("fmod", F(3, low=3.0, high=4.4), L([1.7, 2.1, 0.9])), grad("fmax", F(2, 3), F(3)),
    grad("fmin", F(2, 3), F(3)), grad("heaviside", L([-1, 0, 2]), F(3)), grad("ldexp", F(3), I(3)),
    grad("nan_to_num", F(3)), grad("select", [B(3), B(3)], [F(3), F(3)], F(3)), grad("conjugate", F(3)),
    grad("nansum", HOLES, axis=1), grad("nanprod", HOLES, axis=1), grad("nanmean", HOLES), grad("nanstd", HOLES),
    grad("nanvar", HOLES, axis=0), grad("nanmax", HOLES, axis=1), grad("nanmin", HOLES), grad("nanmedian", HOLES),
    grad("nanquantile", HOLES, L(0.3, "float32"), axis=1), grad("nanpercentile", HOLES, L(30.0, "float32")),
    grad("nancumsum", HOLES, axis=1), grad("nancumprod", HOLES, axis=1), grad("corrcoef", F(3, 5)),
    grad("affine_transform", F(1, 5, 6, 2), ROTATED), grad("slogdet", L(_SYMMETRIC)),
    grad("scale_and_translate", F(5, 6), (7, 4), L([1.3, 0.7]), L([0.2, 0.4]), (0, 1), "linear"),
    grad("fliplr", F(2, 3)),
    grad("flipud", F(2, 3)),
]  # fmt: skip

STEPS = "constant between jumps"
NO_GRADIENT = {
    **dict.fromkeys(
        ["ceil", "floor", "round", "trunc", "floor_divide", "sign", "nextafter", "saturate_cast", "view", "digitize",
         "histogram", "bincount", "searchsorted", "argmax", "argmin", "argsort", "argpartition", "nanargmax",
         "nanargmin", "count_nonzero", "unique", "in_top_k", "matrix_rank", "isin", "nonzero"], STEPS,
    ),
    **dict.fromkeys(["empty_like", "ones_like", "zeros_like"], "independent of the numbers"),
    **dict.fromkeys(
        ["angle", "imag", "isreal", "polar", "view_as_complex", "view_as_real", "irfft", "istft", "eig"],
        "complex on one side, of which the finite differences of the suite know nothing",
    ),
    **dict.fromkeys(["eigh", "qr", "lu_factor"], "defined up to signs or a pivoting order"),
    **dict.fromkeys(["categorical", "shuffle", "dropout", "elastic_transform"], "random"),
    "lstsq": "by way of the pseudo-inverse, which is checked",
    "perspective_transform": "by way of `solve` and `affine_transform`, which are checked",
    "ctc_decode": "a search",
    "stop_gradient": "0, see `kops/ops/control_test.py`",
    "cast": "straight through, as `saturate_cast` does not",
}  # fmt: skip


@pytest.mark.skipif(not engine().HAS_GRADIENTS, reason="no gradients on this engine")
@pytest.mark.parametrize("place", range(len(MORE)), ids=[f"{i}-{r.op}" for i, r in enumerate(MORE)])
def test_gradient(place):
    with harness.wide():
        clear_plans()  # JAX: plans made for 32 bits stay out, and these stay in
        try:
            _check_gradient(MORE[place])
        finally:
            clear_plans()


def test_every_op_of_floats_has_one():
    checked = {r.op for rows in ROWS.values() for r in rows if r.grad} | {r.op for r in MORE}
    silent = []
    for rows in ROWS.values():
        op = OPS[rows[0].op]
        floats = any(m.kind == "float" for r in rows for m in makers((r.args, r.static)))
        if floats and op.kind != "functional" and op.name not in checked | set(NO_GRADIENT) and _gives_floats(rows[0]):
            silent.append(op.name)
    assert not silent, f"Neither a gradient nor a reason why not: {silent}"
    assert not checked & set(NO_GRADIENT), checked & set(NO_GRADIENT)


def _gives_floats(r):
    trial = Trial(r.op, r.args, r.static)
    return any("float" in str(s[1]) for s in specs_of(trial.call(trial.symbols())) if isinstance(s, tuple))
