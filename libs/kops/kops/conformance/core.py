"""Rows of conversions, casts and tensors made after others or from ranges."""

from __future__ import annotations

import numpy as np

from kops.conformance.rows import B, F, I, L, P, case, row

NAN, INF = float("nan"), float("inf")


def _spaced(function):
    def reference(start, stop, num=50, dtype=None, **kwargs):
        return function(start, stop, num, **kwargs)

    return reference


ROWS = [
    row("cast", F(2, 3), dtype="int32", ref=lambda x, dtype: np.trunc(x), dynamic="all"),
    row("cast", I(2, 3), dtype="float16", ref=lambda x, dtype: x, dtypes=("int32", "int8")),
    row("cast", F(2, 3), dtype="bfloat16", ref=lambda x, dtype: x, tol=1e-2),
    row("cast", L([0.0, 0.3, NAN]), dtype="bool", ref=np.array([False, True, True])),
    row("cast", B(4), dtype="float32", ref=lambda x, dtype: x, bad=[case(F(2), dtype="float31", match="Choose one")]),
    row("saturate_cast", L([-3.7, 300.0, 7.9, NAN]), dtype="uint8", ref=np.array([0, 255, 7, 0])),
    row("saturate_cast", L([1e20, -1e20]), dtype="int32", ref=np.array([2**31 - 1, -(2**31)])),
    row("saturate_cast", I(2, low=300, high=400), dtype="int8", ref=np.array([127, 127])),
    row("saturate_cast", L([1e20, -1e20]), dtype="float16", ref=np.array([65504.0, -65504.0])),
    row("copy", F(2, 3), ref=lambda x: x, grad=True, dynamic="all"),
    row("array", F(2, 3), ref=lambda x: x),
    row("array", F(2, 3), dtype="int32", ref=lambda x, dtype: np.trunc(x)),
    row(
        "view",
        L([0, 1, 1065353216]),
        dtype="float32",
        ref=lambda x, dtype: x.astype(np.int32).view(np.float32),
        bad=[case(I(3, dtype="int8"), dtype="int16", match="divided")],
        sweep=(),
        note="bytes, not numbers",
    ),  # fmt: skip
    row(
        "view",
        L([[1, 65536]]),
        dtype="int16",
        ref=lambda x, dtype: x.astype(np.int32).view(np.int16),
        sweep=(),
        note="bytes, not numbers",
    ),  # fmt: skip
    row(
        "view",
        L([[1, 0], [0, 1]], "int16"),
        dtype="int32",
        ref=lambda x, dtype: x.astype(np.int16).view(np.int32),
        sweep=(),
        note="bytes, not numbers",
    ),  # fmt: skip
    row("zeros_like", F(2, 3), ref=np.zeros_like, dynamic="all"),
    row("zeros_like", F(2, 3), dtype="int8", ref=np.zeros((2, 3))),
    row("ones_like", F(2, 3), ref=np.ones_like, dynamic="all"),
    row("ones_like", I(2, 3), dtype="bfloat16", ref=np.ones((2, 3))),
    row("empty_like", F(0, 3), ref=np.zeros((0, 3))),
    row("full_like", F(2, 3), 2.5, ref=np.full_like, dynamic="all"),
    row("full_like", I(2, 3), 2.5, ref=np.full((2, 3), 2)),
    row("full_like", F(2, 3), F(3), ref=np.full_like, bad=[case(F(2, 3), F(4), match="broadcast")]),
    row(
        "linspace",
        F(3),
        F(2, 1),
        num=4,
        ref=_spaced(np.linspace),
        grad=True,
        bad=[case(F(2), F(2), num=-1, match="num")],
    ),
    row("linspace", F(3), F(3), num=4, axis=-1, endpoint=False, ref=_spaced(np.linspace)),
    row("linspace", L(0.0), L(5.0), num=3, dtype="int32", ref=np.array([0, 2, 5])),
    row("linspace", F(2), F(2), num=1, ref=_spaced(np.linspace)),
    row("linspace", F(2), F(2), num=0, ref=_spaced(np.linspace)),
    row("linspace", F(2), F(2), num=5, retstep=True, ref=_spaced(np.linspace)),
    row("logspace", F(3), F(3), num=4, base=2.0, ref=_spaced(np.logspace), tol=1e-4),
    row("geomspace", P(3), P(2, 1), num=4, axis=1, ref=_spaced(np.geomspace)),
    row("geomspace", L(-1.0), L(-1000.0), num=4, ref=np.array([-1.0, -10.0, -100.0, -1000.0])),
    row(
        "meshgrid",
        F(3),
        F(4),
        ref=lambda *xs, indexing="xy": np.meshgrid(*xs, indexing=indexing),
        bad=[case(F(3), F(4), indexing="yx", match="indexing"), case(F(2, 3), F(4), match="one dimension")],
    ),
    row("meshgrid", F(2), F(3), F(4), indexing="ij", ref=lambda *xs, indexing: np.meshgrid(*xs, indexing=indexing)),
]
