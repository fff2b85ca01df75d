"""Rows of stacks, diagonals and triangles."""

from __future__ import annotations

import numpy as np

from kops.conformance.rows import B, F, case, row

MIXED = ("float32", "int32", "bfloat16")

ROWS = [
    row("hstack", [F(2, 3), F(2, 1)], ref=np.hstack, grad=True),
    row("hstack", [F(2), F(3)], ref=np.hstack),
    row("vstack", [F(2, 3), F(1, 3)], ref=np.vstack, grad=True),
    row("vstack", [F(3), F(3)], ref=np.vstack),
    row("dstack", [F(2, 3), F(2, 3)], ref=np.dstack, grad=True),
    row("dstack", [F(3), F(3)], ref=np.dstack),
    row("append", F(2, 3), F(1, 3), axis=0, ref=np.append, grad=True),
    row("append", F(2, 3), F(4), ref=np.append),
    row("array_split", F(3, 7), indices_or_sections=3, axis=1, ref=np.array_split, grad=True,
        bad=[case(F(4), indices_or_sections=0)]),
    row("hsplit", F(3, 4), indices_or_sections=2, ref=np.hsplit, grad=True),
    row("hsplit", F(4), indices_or_sections=2, ref=np.hsplit),
    row("vsplit", F(4, 3), indices_or_sections=(1, 3), ref=np.vsplit, grad=True,
        bad=[case(F(4), indices_or_sections=2)]),
    row("dsplit", F(2, 3, 4), indices_or_sections=2, ref=np.dsplit, grad=True,
        bad=[case(F(4, 2), indices_or_sections=2)]),
    *[row("tril", F(2, 3, 4), k=k, ref=np.tril, grad=k == 0, dtypes=MIXED, dynamic="all") for k in (0, 2, -1)],
    *[row("triu", F(2, 4, 3), k=k, ref=np.triu, grad=k == 0, dynamic="all") for k in (0, 1, -2)],
    row("tril", B(3, 3), ref=np.tril, bad=[case(F(3))]),
    *[row("diag", F(3), k=k, ref=np.diag, grad=True, dtypes=MIXED) for k in (0, 1, -2)],
    *[row("diag", F(3, 4), k=k, ref=np.diag, dynamic="all") for k in (0, 2, -1, 5)],
    row("diag", B(3), ref=np.diag, bad=[case(F(2, 2, 2))]),
    row("diagflat", F(2, 2), k=1, ref=np.diagflat, grad=True),
    row("diagonal", F(2, 3, 4), offset=1, axis1=1, axis2=2, ref=np.diagonal, grad=True, dynamic="all"),
    row("diagonal", F(3, 4, 2), offset=-1, ref=np.diagonal, bad=[case(F(3)), case(F(3, 3), axis1=1, axis2=1)]),
    row("trace", F(2, 3, 4), offset=0, axis1=1, axis2=2, ref=np.trace, grad=True),
    row("trace", F(3, 3), ref=np.trace, dtypes=("float32", "int32", "float16")),
]  # fmt: skip
