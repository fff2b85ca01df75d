"""Rows of products."""

from __future__ import annotations

import numpy as np

from kops.conformance.rows import B, C, F, I, case, row

HALF = ("float32", "float64", "float16", "bfloat16", "int32")


def _einsum(subscripts, *xs):
    return np.einsum(subscripts, *xs)


ROWS = [
    row("matmul", F(2, 3), F(3, 4), ref=np.matmul, grad=True, dynamic="all", dtypes=HALF,
        bad=[case(F(2, 3), F(4, 2)), case(F(), F(2)), case(F(2, 2, 3), F(3, 3, 2)), case(F(3), F(4))]),
    row("matmul", F(5, 2, 3), F(3, 4), ref=np.matmul, grad=True, dynamic="all"),
    row("matmul", F(2, 1, 2, 3), F(4, 3, 2), ref=np.matmul, grad=True),
    row("matmul", F(3), F(2, 3, 4), ref=np.matmul),
    row("matmul", F(2, 2, 3), F(3), ref=np.matmul),
    row("matmul", F(3), F(3), ref=np.matmul),
    row("matmul", F(0, 3), F(3, 2), ref=np.matmul),
    row("matmul", I(2, 3, low=-128, high=128, dtype="int8"), I(3, 4, low=-128, high=128, dtype="int8"), ref=np.matmul),
    row("matmul", I(2, 2, 3, low=-128, high=128, dtype="int8"), I(2, 3, 4, low=-128, high=128, dtype="int8"),
        ref=np.matmul),
    row("matmul", B(2, 3), B(3, 4), ref=np.matmul),
    row("matmul", C(2, 3), C(3, 2), ref=np.matmul),
    row("dot", F(2, 3), F(3, 4), ref=np.dot, grad=True, dtypes=HALF, bad=[case(F(2, 3), F(2))]),
    row("dot", F(2, 3), F(5, 3, 4), ref=np.dot),
    row("dot", F(2, 3), F(), ref=np.dot),
    row("dot", F(3), F(3), ref=np.dot),
    row("inner", F(2, 3), F(4, 3), ref=np.inner, grad=True, bad=[case(F(2, 3), F(2))]),
    row("outer", F(2, 2), F(3), ref=np.outer, grad=True, dtypes=HALF),
    row("vdot", F(2, 3), F(2, 3), ref=np.vdot, grad=True, bad=[case(F(2), F(3))]),
    row("vdot", C(3), C(3), ref=np.vdot),
    row("tensordot", F(2, 3, 4), F(3, 4, 5), ref=lambda a, b: np.tensordot(a, b, 2), grad=True, dtypes=HALF,
        dynamic="all", bad=[case(F(2, 3), F(2, 3), axes=1), case(F(2), F(2), axes=2)]),
    row("tensordot", F(2, 3, 4), F(4, 3, 5), axes=((1, 2), (1, 0)), ref=np.tensordot),
    row("tensordot", F(2), F(3), axes=0, ref=np.tensordot),
    row("einsum", "bij,bjk->bik", F(2, 3, 4), F(2, 4, 5), ref=_einsum, grad=True, dynamic="all", dtypes=HALF,
        bad=[case("ij,jk", F(2, 3)), case("ij,jk", F(2, 3), F(2, 3)), case("ij", F(2)), case("i->k", F(2)),
             case("i!->i", F(2))]),
    row("einsum", "...ij,...jk->...ik", F(2, 1, 3, 4), F(5, 4, 2), ref=_einsum),
    row("einsum", "ab,cd", F(2, 3), F(1, 2), ref=_einsum),
    row("einsum", "ii->i", F(3, 3), ref=_einsum, dynamic=False, note="both lengths are one letter"),
    row("einsum", "i,ij,j->", F(2), F(2, 3), F(3), ref=_einsum, grad=True),
    row("einsum", "abc,cde->abde", F(2, 3, 4), F(4, 5, 2), ref=_einsum, dynamic="all"),
    row("einsum", "abc->ca", F(2, 3, 4), ref=_einsum),
    row("einsum", "ij,jk->ik", I(2, 3, low=-128, high=128, dtype="int8"), I(3, 4, low=-128, high=128, dtype="int8"),
        ref=_einsum),
    row("kron", F(2, 3), F(2, 2), ref=np.kron, grad=True),
    row("kron", F(2), F(3, 2), ref=np.kron),
    row("cross", F(4, 3), F(4, 3), ref=np.cross, grad=True, bad=[case(F(2, 4), F(2, 4))]),
    row("cross", F(4, 2), F(4, 3), ref=lambda a, b: np.cross(np.pad(a, ((0, 0), (0, 1))), b)),
    row("cross", F(4, 2), F(4, 2), ref=lambda a, b: a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]),
    row("cross", F(3, 4), F(3, 4), axis=0, ref=lambda a, b, axis: np.cross(a, b, axis=axis)),
    *[row("correlate", F(n), F(m), mode=mode, ref=np.correlate, grad=n > m, dtypes=("float32", "float16"))
      for n, m in ((5, 3), (3, 5), (4, 2), (2, 4)) for mode in ("valid", "same", "full")],
    row("correlate", F(2), F(2), ref=np.correlate, bad=[case(F(2), F(2), mode="none"), case(F(2, 2), F(2))]),
    row("vander", F(3), ref=np.vander, grad=True, bad=[case(F(2, 2)), case(F(2), N=-1)]),
    row("vander", F(3), N=4, increasing=True, ref=np.vander, dtypes=("float32", "int32")),
]  # fmt: skip
