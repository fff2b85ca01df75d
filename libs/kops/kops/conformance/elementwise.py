"""Rows of elementwise arithmetic, comparison and choice."""

from __future__ import annotations

import numpy as np

from kops.conformance.rows import B, C, F, I, L, P, case, row

INF, NAN = float("inf"), float("nan")
# Numbers on which conventions differ between engines.
EDGES = L([0.0, -0.0, 1.0, -1.0, INF, -INF, NAN])
BROADCAST = [case(F(2, 3), F(4), match="broadcast")]
MIXED = ("float32", "float64", "bfloat16", "float16", "int32", "int8", "int64")
NOT_COMPLEX = [case(C(2), error=TypeError, match="real numbers")]


def _select(conditions, choices, default):
    return np.select(conditions, choices, default)


ROWS = [
    row("add", F(2, 3), F(3), ref=np.add, grad=True, dynamic="all", dtypes=MIXED, bad=BROADCAST),
    row("add", F(2, 3), 2.5, ref=np.add, dtypes=("float32", "bfloat16")),
    row("add", B(4), B(4), ref=np.add),
    row("subtract", F(2, 3), F(2, 1), ref=np.subtract, grad=True, dynamic="all", dtypes=MIXED, bad=BROADCAST),
    row("subtract", 1, F(2, 3), ref=np.subtract),
    row("multiply", F(2, 3), F(3), ref=np.multiply, grad=True, dynamic="all", dtypes=MIXED, bad=BROADCAST),
    row("multiply", B(4), B(4), ref=np.multiply),
    row("divide", F(2, 3), P(3), ref=np.divide, grad=True, dynamic="all", dtypes=("float32", "bfloat16", "int32")),
    row("divide", L([1.0, -1.0, 0.0]), L([0.0, 0.0, 0.0]), ref=np.array([INF, -INF, NAN])),
    row("true_divide", F(2, 3), P(3), ref=np.divide, grad=True, dynamic="all"),
    row("divide_no_nan", F(2, 3), P(3), ref=np.divide, grad=True, dynamic="all"),
    row("divide_no_nan", L([1.0, 0.0, 3.0]), L([0.0, 0.0, 2.0]), ref=np.array([0.0, 0.0, 1.5])),
    row(
        "floor_divide",
        L([7, -7, 7, -7]),
        L([2, 2, -2, -2]),
        ref=np.floor_divide,
        dtypes=("int32", "int64", "int8"),
        bad=[case(C(2), C(2), error=TypeError)],
    ),  # fmt: skip
    row("floor_divide", F(2, 3), P(3), ref=np.floor_divide, dynamic="all", dtypes=("float32", "float64")),
    row("mod", L([7, -7, 7, -7]), L([3, 3, -3, -3]), ref=np.mod, dtypes=("int32", "int64", "int8")),
    row("mod", F(2, 3), P(3), ref=np.mod, dynamic="all", dtypes=("float32", "float16"), tol=1e-4),
    row("fmod", L([7, -7, 7, -7]), L([3, 3, -3, -3]), ref=np.fmod, dtypes=("int32", "int64", "int8")),
    row("fmod", F(2, 3), P(3), ref=np.fmod, dynamic="all", dtypes=("float32",)),
    row("power", P(2, 3), F(3), ref=np.power, grad=True, dynamic="all", dtypes=("float32", "bfloat16")),
    row("power", F(2, 3), 2, ref=np.power, grad=True),
    row("power", F(2, 3), 3.0, ref=np.power, grad=True),
    row("power", 2.0, F(3), ref=np.power),
    row("power", L([2, 3, -3]), L([3, 0, 3]), ref=np.power, dtypes=("int32", "int64", "int8")),
    row("power", L([1, -1, -1, 5]), L([-3, -3, -2, -1]), ref=np.array([1, -1, 1, 0])),
    row("negative", F(2, 3), ref=np.negative, grad=True, dynamic="all", dtypes=("float32", "int32", "bfloat16")),
    row("absolute", F(2, 3), ref=np.abs, grad=True, dynamic="all", dtypes=("float32", "int32", "int8")),
    row("absolute", C(2, 3), ref=np.abs),
    row("fabs", F(2, 3), ref=np.abs, grad=True, bad=NOT_COMPLEX),
    row("sign", EDGES, ref=np.sign, dtypes=("float32", "float16")),
    row("sign", I(2, 3, low=-3), ref=np.sign, dtypes=("int32", "int8")),
    row("square", F(2, 3), ref=np.square, grad=True, dynamic="all", dtypes=("float32", "int32")),
    row("sqrt", P(2, 3), ref=np.sqrt, grad=True, dynamic="all", dtypes=("float32", "bfloat16", "float16")),
    row("sqrt", L([-1.0, 0.0, INF, NAN]), ref=np.array([NAN, 0.0, INF, NAN])),
    row("rsqrt", P(2, 3), ref=lambda x: 1 / np.sqrt(x), grad=True, dynamic="all", dtypes=("float32", "bfloat16")),
    row("cbrt", F(2, 3), ref=np.cbrt, grad=True, tol=3e-5, bad=NOT_COMPLEX),
    row("reciprocal", P(2, 3), ref=np.reciprocal, grad=True, dynamic="all"),
    row("floor", F(2, 3), ref=np.floor, dtypes=("float32", "bfloat16", "int32"), dynamic="all", bad=NOT_COMPLEX),
    row("ceil", F(2, 3), ref=np.ceil, dtypes=("float32", "float16", "int32"), dynamic="all", bad=NOT_COMPLEX),
    row("trunc", F(2, 3), ref=np.trunc, dtypes=("float32", "bfloat16", "int32"), dynamic="all"),
    row("round", L([0.5, 1.5, 2.5, -0.5, -1.5, 0.3]), ref=np.round, dtypes=("float32", "float16"), dynamic="all"),
    row("round", F(2, 3), decimals=1, ref=np.round, tol=1e-4),
    row("round", L([1234, -1250, 1250, 5]), decimals=-2, ref=np.array([1200, -1200, 1200, 0])),
    row("clip", F(2, 3), -0.7, 1.1, ref=np.clip, grad=True, dynamic="all", dtypes=("float32", "bfloat16")),
    row("clip", I(2, 3, low=-9, high=9), -2, 3, ref=np.clip, dtypes=("int32", "int8")),
    row("clip", L([0, 1, 2, 3]), 0.5, 2.5, ref=np.array([0, 1, 2, 2])),
    row("clip", L([INF, -INF]), -1.0, 1.0, ref=np.array([1.0, -1.0])),
    row("clip", L([NAN]), -1.0, 1.0, ref=np.array([NAN]), jit=False, note="OpenVINO's compiled clamp loses NaN"),
    row("maximum", F(2, 3), F(3), ref=np.maximum, grad=True, dynamic="all", dtypes=MIXED, bad=BROADCAST),
    row("maximum", L([NAN, 1.0, NAN]), L([1.0, NAN, NAN]), ref=np.array([NAN] * 3)),
    row("maximum", B(4), B(4), ref=np.maximum, bad=[case(C(2), C(2), error=TypeError)]),
    row("minimum", F(2, 3), F(3), ref=np.minimum, grad=True, dynamic="all", dtypes=MIXED, bad=BROADCAST),
    row("minimum", L([NAN, 1.0, NAN]), L([1.0, NAN, NAN]), ref=np.array([NAN] * 3)),
    row("fmax", L([NAN, 1.0, NAN, 2.0]), L([1.0, NAN, NAN, 3.0]), ref=np.array([1.0, 1.0, NAN, 3.0])),
    row("fmin", L([NAN, 1.0, NAN, 2.0]), L([1.0, NAN, NAN, 3.0]), ref=np.array([1.0, 1.0, NAN, 2.0])),
    row("hypot", F(2, 3), F(3), ref=np.hypot, grad=True),
    row("hypot", L([3e30, 0.0, INF, NAN]), L([4e30, 0.0, NAN, 1.0]), ref=np.hypot, tol=1e-4),
    row("heaviside", L([-1.0, 0.0, 2.0, NAN]), L([0.5, 0.5, 0.5, 0.5]), ref=np.heaviside),
    row(
        "nextafter",
        L([1.0, 1.0, 0.0, 0.0, -2.0]),
        L([2.0, 0.0, 1.0, -1.0, 3.0]),
        ref=lambda x, y: np.nextafter(x.astype(np.float32), y.astype(np.float32)).astype(float),
        tol=1e-9,
    ),  # fmt: skip
    row(
        "ldexp",
        F(3),
        I(3, low=-3),
        ref=np.ldexp,
        dtypes=("float32", "bfloat16"),
        bad=[case(F(3), F(3), error=TypeError, match="integer")],
    ),  # fmt: skip
    row("deg2rad", F(2, 3), ref=np.deg2rad, grad=True),
    row("rad2deg", F(2, 3), ref=np.rad2deg, grad=True, tol=1e-4),
    row("equal", F(2, 3), F(3), ref=np.equal, dynamic="all", dtypes=("float32", "bfloat16", "int32"), bad=BROADCAST),
    row("equal", L([NAN, 0.0, 1]), L([NAN, -0.0, 1]), ref=np.equal),
    row("equal", B(4), B(4), ref=np.equal),
    row("not_equal", F(2, 3), F(3), ref=np.not_equal, dynamic="all", dtypes=("float32", "int32"), bad=BROADCAST),
    row("less", F(2, 3), F(3), ref=np.less, dynamic="all", dtypes=MIXED, bad=BROADCAST),
    row("less", 0.5, F(2, 3), ref=np.less),
    row("less", B(4), B(4), ref=np.less, bad=[case(C(2), C(2), error=TypeError)]),
    row("less_equal", F(2, 3), F(3), ref=np.less_equal, dynamic="all", dtypes=("float32", "int32")),
    row("greater", F(2, 3), F(3), ref=np.greater, dynamic="all", dtypes=("float32", "int32")),
    row("greater", 1, I(2, 3), ref=np.greater),
    row("greater_equal", F(2, 3), F(3), ref=np.greater_equal, dynamic="all", dtypes=("float32", "int32")),
    row("isclose", L([1.0, 1.0, INF, INF, NAN, 1.0]), L([1.000001, 1.1, INF, -INF, NAN, INF]), ref=np.isclose),
    row(
        "isclose",
        L([1.0, NAN]),
        L([1.3, NAN]),
        0.5,
        0.0,
        equal_nan=True,
        ref=lambda a, b, r, t, equal_nan: np.isclose(a, b, r, t, equal_nan),
    ),  # fmt: skip
    row("allclose", L([1.0, 2.0]), L([1.000001, 2.0]), ref=np.array(True)),
    row("allclose", L([1.0, 2.0]), L([1.1, 2.0]), ref=np.array(False), bad=BROADCAST),
    row("isfinite", EDGES, ref=np.isfinite, dtypes=("float32", "float16", "bfloat16"), dynamic="all"),
    row("isfinite", I(4), ref=np.isfinite),
    row("isinf", EDGES, ref=np.isinf, dtypes=("float32", "float16", "bfloat16"), dynamic="all"),
    row("isnan", EDGES, ref=np.isnan, dtypes=("float32", "float16", "bfloat16"), dynamic="all"),
    row("isneginf", EDGES, ref=np.isneginf, bad=NOT_COMPLEX),
    row("isposinf", EDGES, ref=np.isposinf),
    row("signbit", L([0.0, -0.0, 1.0, -1.0, INF, -INF]), ref=np.signbit, dtypes=("float32", "float16")),
    row("signbit", I(4, low=-3), ref=np.signbit, dtypes=("int32", "int8")),
    row("logical_and", B(2, 3), B(3), ref=np.logical_and, dynamic="all", bad=BROADCAST),
    row("logical_and", F(2, 3), I(3), ref=np.logical_and),
    row("logical_or", B(2, 3), B(3), ref=np.logical_or, dynamic="all"),
    row("logical_xor", B(2, 3), B(3), ref=np.logical_xor, dynamic="all"),
    row("logical_not", B(2, 3), ref=np.logical_not, dynamic="all"),
    row(
        "where",
        B(2, 3),
        F(2, 3),
        F(3),
        ref=np.where,
        grad=True,
        dynamic="all",
        dtypes=("float32", "int32"),
        bad=[case(B(2), F(2), match="both"), case(B(2), F(3), F(3), match="broadcast")],
    ),  # fmt: skip
    row("where", B(2, 3), 1, F(3), ref=np.where),
    row(
        "select", [B(3), B(3)], [F(2, 3), F(3)], 4.0, ref=_select, bad=[case([B(3)], [F(3), F(3)], 0, match="choices")]
    ),
    row("nan_to_num", L([1.0, NAN, 2.0]), ref=np.nan_to_num, dtypes=("float32", "float16", "bfloat16")),
    row("nan_to_num", EDGES, nan=1.0, posinf=2.0, neginf=-3.0, ref=np.nan_to_num),
    row("nan_to_num", L([INF, -INF]), ref=np.array([np.finfo(np.float32).max, np.finfo(np.float32).min])),
]
