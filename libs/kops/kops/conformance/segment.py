"""Rows of segment reductions."""

from __future__ import annotations

import numpy as np

from kops.conformance.rows import F, I, L, case, row

IDS = L([0, 2, -1, 2, 7, 0])
START = {np.add: 0.0, np.maximum: -np.inf, np.minimum: np.inf, np.multiply: 1.0}


def _ref(combine):
    def ref(data, ids, num_segments):
        out = np.full((num_segments, *data.shape[1:]), START[combine])
        for i, x in zip(ids, data):
            if 0 <= i < num_segments:
                out[i] = combine(out[i], x)
        return out

    return ref


_NAMES = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}

ROWS = [
    *[row(f"segment_{n}", F(6, 2), IDS, num_segments=4, ref=_ref(f), grad=n == "sum",
          bad=[case(F(6, 2), I(5), num_segments=4), case(F(6), I(6, 1), num_segments=4)])
      for n, f in _NAMES.items()],
    *[row(f"segment_{n}", F(6, 2), L([0, 1, 0, 1, 1, 0]), num_segments=2, ref=_ref(f), grad=True)
      for n, f in _NAMES.items()],
    row("segment_max", I(3), L([0, 0, 1]), num_segments=3,
        ref=lambda x, ids, num_segments: np.array([max(x[:2]), x[2], -(2**31)])),
    row("segment_sum", I(3), L([0, 0, 1]), ref=lambda x, ids: np.array([x[0] + x[1], x[2]]), jit=False, dynamic=False,
        note="the number of segments depends on the ids"),
]  # fmt: skip
