"""Rows of elementwise functions, of integer and complex ops."""

from __future__ import annotations

import numpy as np
from scipy import special

from kops.conformance.rows import C, F, I, L, P, case, row

INF, NAN = float("inf"), float("nan")
HALVES = ("float32", "float16", "bfloat16")
NO_COMPLEX = "OpenVINO has no complex numbers."
UNIT = F(2, 3, low=-0.9, high=0.9)


def _function(name, *args, ref=None, **facts):
    facts.setdefault("grad", True)
    return row(name, *args, ref=ref or getattr(np, name), dynamic="all", **facts)


def _bits(name, ref, **facts):
    return row(
        name, I(2, 3, low=-9, high=9), I(3, low=-9, high=9), ref=ref, dtypes=("int32", "int64", "int8"),
        bad=[case(F(2), F(2), error=TypeError, match="integers")], **facts,
    )  # fmt: skip


def _shift(name, ref):
    return row(
        name, L([1, 3, -5, 7]), L([0, 2, 1, 3]), ref=ref, dtypes=("int32", "int64"),
        bad=[case(F(2), F(2), error=TypeError)],
    )  # fmt: skip


def _complex(name, ref, *args, **facts):
    return row(name, *(args or (C(2, 3),)), ref=ref, **facts)


ROWS = [
    _function("exp", F(2, 3), dtypes=HALVES),
    row("exp", L([-INF, 0.0, INF, -200.0]), ref=np.exp),
    row("exp", L([NAN]), ref=np.exp, jit=False, note="OpenVINO's compiled exp of NaN is 0"),
    row("exp", I(4), ref=np.exp),
    _function("exp2", F(2, 3)),
    _function("expm1", F(2, 3)),
    row("expm1", L([1e-6, -1e-6, 1e-3]), ref=np.expm1, tol=1e-9),
    _function("log", P(2, 3), dtypes=HALVES),
    row("log", L([0.0, -1.0, INF]), ref=np.array([-INF, NAN, INF])),
    _function("log2", P(2, 3)),
    _function("log10", P(2, 3)),
    _function("log1p", P(2, 3)),
    row("log1p", L([1e-6, -1e-6, 1e-3]), ref=np.log1p, tol=1e-9),
    _function("logaddexp", F(2, 3), F(3)),
    row("logaddexp", L([INF, -INF, -INF, 1000.0, NAN]), L([INF, -INF, 1.0, 1000.0, 1.0]), ref=np.logaddexp),
    _function("logaddexp2", F(2, 3), F(3)),
    _function("sin", F(2, 3), dtypes=HALVES),
    _function("cos", F(2, 3), dtypes=HALVES),
    _function("tan", F(2, 3, low=-1.2, high=1.2)),
    _function("arcsin", UNIT),
    _function("arccos", UNIT),
    _function("arctan", F(2, 3)),
    row("arcsin", L([2.0, -1.0, NAN]), ref=np.array([NAN, -np.pi / 2, NAN])),
    _function("arctan2", F(2, 3), F(3)),
    row("arctan2", L([0.0, 1.0, 0.0, -1.0]), L([1.0, 0.0, -1.0, 0.0]), ref=np.arctan2),
    _function("sinh", F(2, 3)),
    _function("cosh", F(2, 3)),
    _function("tanh", F(2, 3), dtypes=HALVES),
    row("tanh", L([-INF, 0.0, INF, NAN]), ref=np.tanh),
    _function("arcsinh", F(2, 3)),
    _function("arccosh", P(2, 3, low=1.2, high=4.0)),
    _function("arctanh", UNIT),
    _function("sinc", F(2, 3), ref=np.sinc),
    row("sinc", L([0.0, 1.0]), ref=np.sinc),
    _function("i0", F(2, 3), ref=special.i0, tol=2e-5),
    row("i0", L([0.0, -5.0, 20.0]), ref=lambda x: special.i0(x), tol=1e-4),
    _function("erf", F(2, 3), ref=special.erf, dtypes=("float32", "float64", "bfloat16")),
    row("erf", L([-INF, -3.0, 0.0, 5.0, NAN]), ref=special.erf),
    _function("erfc", F(2, 3), ref=special.erfc),
    row("erfc", L([1e-3, 3.0, 5.0, -4.0]), ref=special.erfc, tol=1e-6),
    _function("erfinv", UNIT, ref=special.erfinv, tol=3e-5),
    row("erfinv", L([-1.0, 1.0, 2.0, 0.999]), ref=np.array([-INF, INF, NAN, special.erfinv(0.999)]), tol=1e-3),
    _bits("bitwise_and", np.bitwise_and),
    _bits("bitwise_or", np.bitwise_or),
    _bits("bitwise_xor", np.bitwise_xor),
    row("bitwise_not", I(2, 3, low=-9), ref=np.invert, dtypes=("int32", "int8"), bad=[case(F(2), error=TypeError)]),
    row("bitwise_invert", I(2, 3, low=-9), ref=np.invert, dtypes=("int32", "int8")),
    _shift("left_shift", np.left_shift),
    _shift("right_shift", np.right_shift),
    _shift("bitwise_left_shift", np.left_shift),
    _shift("bitwise_right_shift", np.right_shift),
    row("left_shift", L([1, -1]), L([32, 40]), ref=np.array([0, 0])),
    row("right_shift", L([9, -9]), L([32, 40]), ref=np.array([0, -1])),
    _bits("gcd", np.gcd),
    _bits("lcm", np.lcm),
    _complex("real", np.real),
    row("real", F(2, 3), ref=np.real, grad=True),
    _complex("imag", np.imag),
    row("imag", F(2, 3), ref=np.imag),
    _complex("conjugate", np.conjugate),
    _complex("angle", np.angle),
    row("angle", L([1.0, -2.0, 0.0]), ref=np.angle),
    _complex("isreal", np.isreal, L([1 + 0j, 1 + 2j])),
    _complex("polar", lambda r, a: r * np.exp(1j * a), P(2, 3), F(3)),
    _complex("view_as_real", lambda x: np.stack([x.real, x.imag], -1)),
    _complex("view_as_complex", lambda x: x[..., 0] + 1j * x[..., 1], F(3, 2), bad=[case(F(2, 3), match="must be 2")]),
]
