"""uint64 from 2**63 up, where int64 has another order: against NumPy."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import kops
from kops.engine import engine

harness = importlib.import_module(f"kops.conformance.engines.{engine().NAME}")
TOP = 2**63
A = np.array([[TOP + 5, 3, 2 * TOP - 1], [7, TOP, TOP - 1]], np.uint64)
B = np.array([[3, TOP + 1, 2 * TOP - 2], [TOP + 9, 5, 0]], np.uint64)
SORTED = np.sort(A.ravel())
CALLS = {
    "gcd": (lambda x, y: kops.gcd(x, y), np.gcd(A, B)),
    "a loop": (lambda x, y: kops.fori_loop(0, 2, lambda i, v: kops.maximum(v, y), x), np.maximum(A, B)),
    "absolute": (lambda x, y: kops.absolute(x), A),
    "argmax": (lambda x, y: kops.argmax(x, 1), np.argmax(A, 1)),
    "argsort": (lambda x, y: kops.argsort(x), np.argsort(A)),
    "clip": (lambda x, y: kops.clip(x, 4, TOP + 3), np.clip(A, np.uint64(4), np.uint64(TOP + 3))),
    "floor_divide": (lambda x, y: kops.floor_divide(x, y), np.where(B == 0, 0, A // np.maximum(B, 1))),
    "floor_divide by a number": (lambda x, y: kops.floor_divide(x, 3), A // np.uint64(3)),
    "fmod": (lambda x, y: kops.fmod(x, kops.maximum(y, 1)), A % np.maximum(B, 1)),
    "greater_equal": (lambda x, y: kops.greater_equal(x, y), A >= B),
    "less": (lambda x, y: kops.less(x, y), A < B),
    "less than a number": (lambda x, y: kops.less(x, 10), A < 10),
    "max": (lambda x, y: kops.max(x, 0), A.max(0)),
    "max with a limit": (lambda x, y: kops.max(x, initial=2 * TOP - 1), np.uint64(2 * TOP - 1)),
    "maximum": (lambda x, y: kops.maximum(x, y), np.maximum(A, B)),
    "min": (lambda x, y: kops.min(x, 1), A.min(1)),
    "minimum with a small one": (lambda x, y: kops.minimum(x, kops.cast(y, "uint8")), np.minimum(A, B.astype("uint8"))),
    "mod": (lambda x, y: kops.mod(x, y), np.where(B == 0, 0, A % np.maximum(B, 1))),
    "ptp": (lambda x, y: kops.ptp(x), np.ptp(A)),
    "relu": (lambda x, y: kops.relu(x), A),
    "searchsorted": (lambda x, y: kops.searchsorted(kops.sort(kops.ravel(x)), y), np.searchsorted(SORTED, B)),
    "segment_max": (lambda x, y: kops.segment_max(x, kops.array([0, 0]), num_segments=1), A.max(0)[None]),
    "sign": (lambda x, y: kops.sign(y), np.sign(B)),
    "sort": (lambda x, y: kops.sort(x, 0), np.sort(A, 0)),
    "top_k": (lambda x, y: kops.top_k(x, 2)[0], np.sort(A)[:, :0:-1]),
    "unique": (lambda x, y: kops.unique(x), SORTED),
}


@pytest.mark.parametrize("name", CALLS)
def test_large_unsigned_numbers(name):
    call, want = CALLS[name]
    with harness.wide() if engine().NAME in ("jax", "torch", "tensorflow") else np.errstate():
        got = kops.convert_to_numpy(call(kops.array(A), kops.array(B)))
    assert np.array_equal(got, want), f"{name}: {got}, not {want}"
    assert got.dtype == want.dtype or want.dtype.kind == "i"


def test_unsigned_positions_do_not_count_as_values():
    arrays = [kops.array([[1.0, 5.0], [3.0, -2.0]]), kops.array([[0, 1], [1, 1]], "uint32"), kops.array([4.0, 7.0])]
    got = harness.compiled(lambda x, i, u: kops.scatter_update(x, i, u, "max"), arrays, False)
    if got is not None:  # NumPy compiles nothing
        assert kops.convert_to_numpy(got).tolist() == [[1.0, 5.0], [3.0, 7.0]]
