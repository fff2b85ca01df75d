"""Rows of the elementwise ops."""

from __future__ import annotations

import numpy as np

from kops.conformance.rows import F, case, row

ROWS = [
    row(
        "add",
        F(2, 3),
        F(3),
        ref=np.add,
        grad=True,
        dynamic="all",
        dtypes=("float32", "float64", "bfloat16", "int32"),
        bad=[case(F(2, 3), F(4), match="broadcast")],
    ),
    row("subtract", F(2, 3), F(2, 1), ref=np.subtract, grad=True, dynamic="all"),
    row("less", F(2, 3), F(3), ref=np.less, dynamic="all", bad=[case(F(2, 3), F(4), match="broadcast")]),
    row("exp", F(2, 3), ref=np.exp, grad=True, dynamic="all", dtypes=("float32", "float16")),
]
