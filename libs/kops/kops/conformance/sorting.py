"""Rows of the ops that order elements."""

from __future__ import annotations

import numpy as np

from kops.conformance.rows import B, F, I, L, case, row

MIXED = ("float32", "int32", "float16", "bfloat16")

UNSIZED = "the number of values depends on them"


def _argsort(x, axis=-1):
    return np.argsort(x, axis, kind="stable")


def _top_k(x, k, sorted=True):
    # Of equal numbers the first; unsigned ones have no negatives to sort by.
    order = (x.shape[-1] - 1 - np.argsort(x[..., ::-1], axis=-1, kind="stable"))[..., ::-1][..., :k]
    return np.take_along_axis(x, order, -1), order


ROWS = [
    row("sort", F(3, 7), ref=np.sort, grad=True, dtypes=MIXED, dynamic="all", bad=[case(F(3), axis=1)]),
    row("sort", F(3, 4), axis=0, ref=np.sort),
    row("sort", B(7), ref=np.sort),
    row("argsort", F(3, 7), ref=_argsort, dtypes=MIXED[:1], dynamic="all", bad=[case(F(3), axis=1)]),
    row("argsort", L([2, 1, 2, 1, 1]), ref=np.array([1, 3, 4, 0, 2])),
    row("argsort", F(3, 4), axis=0, ref=_argsort),
    row("top_k", F(3, 7), k=3, ref=_top_k, dynamic="all", grad=True,
        bad=[case(F(3), k=4), case(F(), k=1), case(F(3), k=-1)]),
    row("top_k", L([5, 2, 7], "int64"), k=2, ref=lambda x, k: (np.array([7, 5]), np.array([2, 0]))),
    row("argpartition", L([3, 1, 2]), kth=1, ref=np.array([1, 2, 0]), bad=[case(F(3), kth=3)]),
    row("unique", L([3, 1, 3, 2]), ref=np.unique, jit=False, dynamic=False, note=UNSIZED),
    row("unique", L([[3.0, 1.0], [3.0, 2.0]]), return_index=True, return_inverse=True, return_counts=True,
        ref=lambda x, **s: np.unique(x, **s), jit=False, dynamic=False, note=UNSIZED),
    row("unique", L([[1, 2], [0, 2], [1, 2]]), axis=0, return_index=True, return_inverse=True,
        ref=lambda x, **s: (np.array([[0, 2], [1, 2]]), np.array([1, 0]), np.array([1, 0, 1])), jit=False,
        dynamic=False, note=UNSIZED, bad=[case(F(3), axis=1)]),
    row("unique", L([3, 1, 3, 2]), size=5, return_counts=True,
        ref=lambda x, **s: (np.array([1, 2, 3, 1, 1]), np.array([1, 1, 2, 0, 0]))),
    row("unique", L([3, 1, 3, 2]), size=4, fill_value=9, ref=lambda x, **s: np.array([1, 2, 3, 9])),
    row("unique", L([3, 1, 3, 2]), size=2, ref=lambda x, **s: np.array([1, 2])),
    row("searchsorted", L([1, 3, 3, 5]), I(2, 3, high=7), ref=np.searchsorted),
    row("searchsorted", L([1.0, 3.0, 3.0, 5.0]), F(4, low=0.0, high=6.0), side="right", ref=np.searchsorted,
        bad=[case(F(2, 2), F(2)), case(F(2), F(2), side="middle")]),
]  # fmt: skip
