"""Rows of reductions."""

from __future__ import annotations

import numpy as np
from scipy import special

from kops.conformance.rows import B, C, F, I, L, P, case, row

INF, NAN = float("inf"), float("nan")
HALVES = ("float32", "float16", "bfloat16")
HOLES = L([[1.0, NAN, 3.0], [NAN, NAN, 0.5]])
OUT_OF_RANGE = [case(F(2, 3), axis=2, match="out of range"), case(F(2, 3), axis=-3, match="out of range")]
EMPTY = [case(F(0, 3), axis=0, match="0 among"), *OUT_OF_RANGE]


def _reduction(name, ref, make=F, **facts):
    facts = {"grad": True, "dynamic": "all", "bad": OUT_OF_RANGE, **facts}
    plain = {k: v for k, v in facts.items() if k not in ("bad", "dtypes", "dynamic")}
    return [
        row(name, make(2, 3, 4), axis=1, keepdims=True, ref=ref, **facts),
        row(name, make(2, 3, 4), axis=(0, -1), ref=ref, **plain),
        row(name, make(2, 3), ref=ref, **plain),
        row(name, make(2, 3), axis=(), ref=ref, **plain),
    ]


def _ints(name, ref, *dtypes):
    return row(name, I(2, 3, low=-4), axis=1, ref=ref, dtypes=dtypes or ("int32", "int8", "int64"))


def _average(x, weights=None, axis=None):
    return np.average(x, axis=axis, weights=weights)


def _moments(x, axes, keepdims=False):
    return np.mean(x, axis=axes, keepdims=keepdims), np.var(x, axis=axes, keepdims=keepdims)


def _range(x, axis=None, keepdims=False):
    return np.max(x, axis, keepdims=keepdims) - np.min(x, axis, keepdims=keepdims)


def _logsumexp(x, axis=None, keepdims=False):
    return special.logsumexp(x, axis=axis, keepdims=keepdims)


def _nan_index(function):
    def reference(x, axis=None, keepdims=False):
        empty = np.isnan(x).all(axis=axis, keepdims=keepdims)
        filled = np.where(np.isnan(x), -INF if function is np.argmax else INF, x)
        return np.where(empty, -1, function(filled, axis=axis, keepdims=keepdims))

    return reference


ROWS = [
    *_reduction("sum", np.sum, dtypes=HALVES),
    _ints("sum", np.sum),
    row("sum", B(2, 3), ref=np.sum),
    row("sum", F(0, 3), axis=0, ref=np.sum),
    row("sum", L([1.0] * 3000), ref=np.array(3000.0), dtypes=("float16",), sweep=(), note="for its accuracy"),
    *_reduction("prod", np.prod, make=P),
    _ints("prod", np.prod),
    row("prod", F(0, 3), axis=0, ref=np.prod),
    row("prod", I(2, 3, low=1), dtype="float32", axis=0, ref=lambda x, dtype, axis: np.prod(x, axis)),
    *_reduction("mean", np.mean, dtypes=HALVES),
    _ints("mean", np.mean, "int32"),
    row("mean", F(0, 3), axis=0, ref=np.array([NAN] * 3), jit=False, note="OpenVINO's compiled mean of nothing is 0"),
    *_reduction("var", np.var),
    _ints("var", np.var, "int32"),
    row("var", C(4), ref=np.var),
    *[r for r in _reduction("std", np.std) if r.static.get("axis") != ()],
    *_reduction("max", np.max, dtypes=HALVES, bad=EMPTY),
    _ints("max", np.max),
    row("max", L([[1.0, NAN], [INF, 2.0]]), axis=1, ref=np.max),
    row("max", F(2, 3), axis=0, initial=1.0, ref=lambda x, axis, initial: np.max(x, axis, initial=initial)),
    row("max", F(0, 3), axis=0, initial=1.0, ref=np.array([1.0] * 3)),
    row("max", B(2, 3), axis=0, ref=np.max),
    *_reduction("min", np.min, dtypes=HALVES, bad=EMPTY),
    _ints("min", np.min),
    row("min", L([[1.0, NAN], [-INF, 2.0]]), axis=1, ref=np.min),
    row("min", F(0, 3), axis=0, initial=1.0, ref=np.array([1.0] * 3)),
    *_reduction("amax", np.max, bad=EMPTY),
    *_reduction("amin", np.min, bad=EMPTY),
    *_reduction("all", np.all, make=B, grad=False),
    row("all", F(0, 3), axis=0, ref=np.all),
    *_reduction("any", np.any, make=B, grad=False),
    row("any", L([[0.0, NAN], [0.0, 0.0]]), axis=1, ref=np.any),
    row("argmax", F(2, 3, 4), axis=1, ref=np.argmax, dynamic="all", dtypes=HALVES, bad=EMPTY),
    row("argmax", F(2, 3), ref=np.argmax),
    row("argmax", F(2, 3), axis=-1, keepdims=True, ref=lambda x, axis, keepdims: np.argmax(x, axis, keepdims=True)),
    row("argmax", F(2, 3), keepdims=True, ref=lambda x, keepdims: np.argmax(x, keepdims=True)),
    row("argmax", L([[1.0, NAN, INF], [2.0, 2.0, 0.0]]), axis=1, ref=np.argmax),
    row("argmax", I(2, 6), axis=1, ref=np.argmax, dtypes=("int32", "int8")),
    row("argmin", F(2, 3, 4), axis=1, ref=np.argmin, dynamic="all", bad=EMPTY),
    row("argmin", L([[1.0, NAN, -INF], [2.0, 2.0, 3.0]]), axis=1, ref=np.argmin),
    row("count_nonzero", L([[0, 1, 2], [0, 0, 3]]), axis=1, ref=np.count_nonzero, bad=OUT_OF_RANGE),
    row("count_nonzero", L([0.0, 1.0, NAN]), ref=np.count_nonzero),
    *_reduction("ptp", _range, bad=EMPTY),
    *[r for r in _reduction("logsumexp", _logsumexp) if r.static.get("axis") != ()],
    row("logsumexp", L([[-INF, -INF], [INF, 1.0], [1000.0, 1000.0]]), axis=1, ref=_logsumexp),
    row("average", F(2, 3), axis=1, ref=_average, grad=True),
    row(
        "average",
        F(2, 3),
        axis=1,
        weights=P(3),
        ref=_average,
        bad=[case(F(2, 3), axis=1, weights=F(4), match="weights")],
    ),
    row("average", F(2, 3), weights=P(2, 3), ref=_average, bad=[case(F(2, 3), weights=F(3), match="weights")]),
    row("moments", F(2, 3, 4), axes=(0, 2), ref=_moments, grad=True, dynamic="all", dtypes=HALVES),
    row("moments", F(2, 3), axes=[1], keepdims=True, ref=lambda x, axes, keepdims: _moments(x, tuple(axes), keepdims)),
    row("nansum", HOLES, axis=1, ref=np.nansum, bad=OUT_OF_RANGE),
    row("nanprod", HOLES, axis=1, ref=np.nanprod),
    row("nanmean", HOLES, axis=1, ref=np.nanmean),
    row("nanmean", L([NAN, NAN]), ref=np.array(NAN)),
    row("nanvar", HOLES, axis=1, keepdims=True, ref=np.nanvar),
    row("nanstd", HOLES, ref=np.nanstd),
    row("nanmax", HOLES, axis=0, ref=np.array([1.0, NAN, 3.0]), bad=EMPTY),
    row("nanmin", HOLES, axis=0, ref=np.array([1.0, NAN, 0.5])),
    row("nanmax", I(2, 3), axis=0, ref=np.max),
    row("nanargmax", HOLES, axis=0, ref=_nan_index(np.argmax)),
    row("nanargmin", HOLES, ref=_nan_index(np.argmin)),
]
