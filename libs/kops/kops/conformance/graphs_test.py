"""OpenVINO graphs give what eager gives, also where ops follow each other, or refuse in one clear error.

A slice of all ops and dtypes (`tests/graphs.py` runs all of it), and what single ops do not show.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import kops
from kops.engine import engine

if engine().NAME != "openvino":
    pytest.skip("OpenVINO graphs", allow_module_level=True)

from kops.conformance.engines import openvino_graphs as graphs

pytestmark = [pytest.mark.filterwarnings("ignore::RuntimeWarning")]
EVERY = 67
INT32 = np.array([2**31 - 1, 2**31 - 2, -(2**31), 2**24 + 1, 2**24, -1, 0, 7], np.int32)
FLOATS = np.array([[1, np.nan, 3], [np.inf, 1, -np.inf], [-np.inf] * 3, [1, 2, np.inf], [1, 2, 3]], np.float32)


def same(function, *arrays):
    got, want = engine().jit(function)(*arrays), function(*arrays)
    for g, w in zip(kops.tree.flatten(got), kops.tree.flatten(want)):
        assert g.dtype == w.dtype
        np.testing.assert_allclose(g, w, rtol=1e-5)


@pytest.mark.parametrize("part", range(3))
def test_graphs_are_eager(part):
    found = []
    for row, number, dtype in itertools.islice(graphs.cases(), part * EVERY, None, 3 * EVERY):
        found += [f"{row.op}#{number} {dtype} | {fill} | {words}" for fill, words in graphs.faults(row, dtype)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_integers_wrap_and_stay_exact_in_a_row_of_ops(dtype):
    x, y = INT32.astype(dtype), INT32[::-1].astype(dtype)
    same(lambda a, b: kops.where(a + b > a, a * b + 3, a - b), x, y)
    same(lambda a, b: kops.sort(kops.maximum(a * 3, b) - 1), x, y)
    same(lambda a, b: kops.cast(a - b, "float32") / 2, x, y)
    same(lambda a: (kops.sum(a), kops.prod(a), kops.max(a), kops.argmin(a), kops.cumsum(a), kops.mean(a)), x)
    same(lambda a, b: kops.equal(a, b + 1), x, y)
    same(lambda a: kops.max_pool(a, 2, padding="same"), x.reshape(1, 2, 4, 1).repeat(3, 0))
    same(lambda a: kops.cast(kops.cast(a, "int8"), "int32") + kops.cast(kops.cast(a, "uint16"), "int32"), x)


@pytest.mark.parametrize("k", [5, 300, 5000])
def test_products_of_small_integers_are_exact(k):
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-128, 128, shape, np.int8) for shape in ((3, k), (k, 2)))
    same(kops.matmul, x, y)
    np.testing.assert_array_equal(engine().jit(kops.matmul)(x, y), x.astype(np.int32) @ y.astype(np.int32))


@pytest.mark.parametrize("equation", ["ij,kj->ik", "ij,ij->", "ii", "...ij,...jk", "ij,ji,ik->k"])
def test_einsums_of_integers_wrap(equation):
    x = np.resize(INT32, (3, 3))
    same(lambda *xs: kops.einsum(equation, *xs), *[x] * (equation.count(",") + 1))


def test_nan_and_infinity_go_through_rows_of_ops():
    same(lambda x: kops.minimum(kops.maximum(x, -1.0), 2.0), FLOATS)
    same(
        lambda x: (kops.max(x, axis=1), kops.min(x * 2.0, axis=1), kops.isinf(x * 2.0), kops.isfinite(x * 1e-40)),
        FLOATS,
    )
    same(lambda x: (kops.sort(-x), kops.argsort(x), kops.top_k(x, 2), kops.exp(x), kops.logsumexp(x, axis=1)), FLOATS)


def test_nothing_is_computed_of_nothing():
    x = np.ones((2, 3), np.float32)
    same(lambda x: (kops.sum(x[2:], axis=0), kops.concatenate([x, x[:, 3:]], axis=1), x[:0], x[1][3:]), x)
    same(lambda x: kops.sum(kops.exp(x), axis=0), x[:0])
    same(lambda x: (np.arange(3.0), x), x)  # what does not depend on the inputs stays as it is


def test_64_bits_are_moved_and_compared():
    x = np.array([5, -(2**31), 2**31 - 1, 2**24 + 1], np.int64)
    same(lambda x: (x[::-1], kops.sort(x), kops.maximum(x, 7), kops.greater(x, 2**24), kops.argmax(x)), x)
    same(lambda x: (kops.where(x > 0, x, 1), kops.cast(x, "float32"), kops.exp(kops.minimum(x, 0))), x)
    same(lambda x: (kops.bitwise_and(x, 3), kops.mod(x, 7), kops.take(kops.arange(9), kops.clip(x, 0, 8))), x)


@pytest.mark.parametrize(
    "function, array, words",
    [
        (lambda x: x + x, np.array([1]), "add: int64 in an OpenVINO graph: the CPU has 32 bits"),
        (kops.sum, np.array([1], np.uint64), "sum: uint64 in an OpenVINO graph"),
        (lambda x: x, np.array([2**31]), "int64 numbers beyond those of int32"),
        (lambda x: kops.take(np.array([2**31]), x), np.array([0], np.int32), "int64 numbers beyond those of int32"),
        (lambda x: kops.cast(x, "int64"), np.ones(2, np.float32), "cast: float32 as int64 in an OpenVINO graph"),
        (lambda x: x, np.array([1.0]), "float64 in an OpenVINO graph: the CPU would compute it in float32"),
        (lambda x: x * np.array([1.0]), np.ones(1, np.float32), "multiply: float64 in an OpenVINO graph"),
        (lambda x: kops.cumsum(x, dtype="float64"), np.ones(1, np.float32), "cumsum: float64 in an OpenVINO graph"),
        (lambda x: x, np.array([1j]), "complex128 in an OpenVINO graph: the op set has no complex numbers"),
        (lambda x: kops.cast(x, "complex64"), np.ones(1, np.float32), "cast: complex64 in an OpenVINO graph"),
        (lambda x: x // 2, np.array([1], np.uint32), "floor_divide: uint32 in an OpenVINO graph"),
        (kops.pinv, np.ones((2, 2), np.float32), "pinv: .*no decompositions of matrices"),
    ],
)
def test_what_graphs_cannot_is_refused(function, array, words):
    with pytest.raises(NotImplementedError, match=words):
        engine().jit(function)(array)
