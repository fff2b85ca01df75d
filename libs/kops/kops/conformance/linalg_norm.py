"""Rows of norms and distances."""

from __future__ import annotations

import numpy as np

from kops.conformance.rows import C, F, I, L, case, row

HALF = ("float32", "float64", "float16", "bfloat16")


def _normalized(x, axis=-1, order=2, epsilon=1e-7):
    return x / np.maximum(np.linalg.norm(x, ord=order, axis=axis, keepdims=True), epsilon)


ROWS = [
    row("norm", F(2, 3, 4), ref=np.linalg.norm, grad=True, dtypes=HALF, dynamic="all",
        bad=[case(F(2, 3, 4), ord=2), case(F(3), ord="fro"), case(F(3, 3), ord=3), case(F(3, 3), axis=(0, 0)),
             case(F(2, 3, 4), axis=(0, 1, 2)), case(F(3), axis=1)]),
    row("norm", L([300.0, 400.0]), ref=500.0, dtypes=("float16",)),
    row("norm", I(3, 4), ref=np.linalg.norm),
    *[row("norm", F(3, 4), ord=o, axis=1, keepdims=k, ref=np.linalg.norm, grad=o not in (0,))
      for o, k in ((None, True), (1, False), (2, False), (3, True), (0.5, False), (0, True), (np.inf, False),
                   (-np.inf, False))],
    *[row("norm", F(3, 4), ord=o, ref=np.linalg.norm, grad=True) for o in ("fro", 1, -1, np.inf, -np.inf)],
    row("norm", F(3, 2, 4), ord=1, axis=(2, 0), keepdims=True, ref=np.linalg.norm),
    # From here on OpenVINO compiles nothing: it has neither complex numbers nor singular values.
    row("norm", C(3), ref=np.linalg.norm),
    row("norm", C(3), ord=0, ref=np.linalg.norm),  # after another order: a plan has one dtype
    *[row("norm", F(3, 4), ord=o, ref=np.linalg.norm, grad=True) for o in ("nuc", 2, -2)],
    row("norm", F(3, 2, 4), ord="nuc", axis=(0, 2), keepdims=True, ref=np.linalg.norm),
    row("normalize", F(2, 3), ref=_normalized, grad=True, dtypes=HALF, bad=[case(F(2), axis=1)]),
    row("normalize", F(3, 2), axis=0, order=1, ref=_normalized),
    row("normalize", L([[0.0, 0.0], [3.0, 4.0]]), ref=np.array([[0.0, 0.0], [0.6, 0.8]])),
    row("normalize", I(2, 3), order=3, ref=_normalized, bad=[case(F(3), order=np.inf), case(F(3), order=0)]),
    row("cdist", F(2, 3), F(4, 3), ref=lambda x, y: np.linalg.norm(x[:, None] - y, axis=-1), grad=True,
        bad=[case(F(2, 3), F(2, 4)), case(F(3), F(2, 3))]),
    row("cdist", F(2, 2, 3), F(2, 5, 3), ref=lambda x, y: np.sqrt(((x[:, :, None] - y[:, None]) ** 2).sum(-1))),
]  # fmt: skip
