"""Rows of running sums, quantiles, integrals and correlations."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.conformance.rows import B, F, I, L, P, case, row

NAN, INF = float("nan"), float("inf")
HOLES = L([[1.0, NAN, 3.0, -2.0], [NAN, NAN, 0.5, NAN]])


def _quantiles(name, ref, q):
    bad = [case(F(3), 0.5, method="best", match="linear, lower"), case(F(3), F(2, 2), match="one dimension")]
    return [
        row(name, F(2, 3, 5), q[0], axis=1, keepdims=True, ref=ref, grad=True, bad=bad),
        row(name, F(2, 3, 5), L(q), axis=(0, 2), ref=ref),
        *(row(name, F(7), L(q), method=m, ref=ref) for m in ("linear", "lower", "higher", "midpoint", "nearest")),
        row(name, I(2, 6), q[1], axis=1, ref=ref),
    ]


def _histogram(x, bins, range=None):
    return np.histogram(x, bins, range)


BY_VALUES: dict[str, Any] = {"jit": False, "note": "the size of the output depends on values"}

ROWS = [
    row(
        "cumsum",
        F(2, 3),
        axis=1,
        ref=np.cumsum,
        grad=True,
        dynamic="all",
        dtypes=("float32", "float16", "bfloat16"),
        bad=[case(F(2, 3), axis=2, match="out of range")],
    ),  # fmt: skip
    row("cumsum", F(2, 3), ref=np.cumsum),
    row("cumsum", I(2, 3), axis=-1, ref=np.cumsum, dtypes=("int32", "int8", "int64")),
    row("cumsum", B(4), ref=np.cumsum),
    row("cumsum", I(4), dtype="float32", ref=lambda x, dtype: np.cumsum(x)),
    row("cumprod", P(2, 3), axis=1, ref=np.cumprod, grad=True),
    row("cumprod", P(2, 3), ref=np.cumprod),
    row("nancumsum", HOLES, axis=1, ref=np.nancumsum),
    row("nancumprod", HOLES, axis=1, ref=np.nancumprod),
    *_quantiles("quantile", np.quantile, [0.3, 0.7, 1.0]),
    row("quantile", L([1.0, NAN]), 0.5, ref=np.array(NAN)),
    row("quantile", L([1.0, INF, 2.0]), 0.5, ref=np.array(2.0)),
    *_quantiles("percentile", np.percentile, [35.0, 70.0, 100.0]),
    row("nanquantile", HOLES, 0.3, axis=1, ref=np.nanquantile, bad=[case(F(3), 0.5, method="best", match="linear")]),
    row("nanquantile", HOLES, L([0.1, 0.5]), axis=1, keepdims=True, ref=np.nanquantile),
    row("nanquantile", L([NAN, NAN]), 0.5, ref=np.array(NAN)),
    row("nanpercentile", HOLES, 30, axis=1, ref=np.nanpercentile),
    row("median", F(2, 5), axis=1, ref=np.median, grad=True),
    row("median", F(2, 6), ref=np.median),
    row("nanmedian", HOLES, axis=1, ref=np.nanmedian),
    row("trapezoid", F(2, 5), ref=np.trapezoid, grad=True),
    row("trapezoid", F(5, 2), F(5), axis=0, ref=np.trapezoid, bad=[case(F(2, 5), F(2, 3, 5), match="one dimension")]),
    row("trapezoid", F(2, 5), dx=0.5, ref=np.trapezoid),
    row("corrcoef", F(3, 6), ref=np.corrcoef, tol=1e-4, bad=[case(F(2, 3, 4), match="two dimensions")]),
    row("corrcoef", F(6), ref=np.corrcoef),
    row(
        "bincount",
        L([0, 1, 1, 3]),
        ref=np.bincount,
        dtypes=("int32", "int64", "uint8"),
        **BY_VALUES,
        bad=[case(F(3), error=TypeError, match="integers"), case(I(2, 2, 2), match="two dimensions")],
    ),  # fmt: skip
    row(
        "bincount",
        L([[0, 1, 1], [2, 0, 3]]),
        minlength=5,
        ref=np.array([[1, 2, 0, 0, 0], [1, 0, 1, 1, 0]]),
        **BY_VALUES,
    ),
    row(
        "bincount",
        L([0, 2, 2]),
        weights=L([0.5, 1.0, 2.0]),
        ref=lambda x, weights: np.bincount(x, weights),
        **BY_VALUES,
    ),
    row("bincount", I(0), minlength=2, ref=np.array([0, 0]), **BY_VALUES),
    row("digitize", F(2, 3), L([-1.0, 0.0, 1.0]), ref=np.digitize, bad=[case(F(2), F(2, 2), match="one dimension")]),
    row("digitize", L([1, 2, 3]), L([1, 3]), ref=np.digitize),
    row(
        "histogram",
        F(20),
        bins=4,
        ref=_histogram,
        bad=[
            case(F(3), bins=0, match="one bin"),
            case(F(3), bins=2, range=(2, 1), match="upper end"),
            case(F(2, 2), bins=2, match="one dimension"),
            case(F(3), bins=2.5, error=TypeError, match="an int"),
        ],
    ),  # fmt: skip
    row("histogram", L([0.0, 1.0, 2.0, 3.0, 9.0]), bins=3, range=(0.0, 3.0), ref=_histogram),
    row("histogram", L([2.0, 2.0]), bins=2, ref=_histogram),
    row("histogram", F(0), bins=2, ref=_histogram, jit=False, note="OpenVINO counts nothing as anything"),
]
