from __future__ import annotations

import numpy as np
import pytest

import kops
from kops.engine import engine

if engine().NAME != "openvino":
    pytest.skip("loops inside of OpenVINO graphs", allow_module_level=True)

from kops.conformance.engines import openvino as harness

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 4)).astype(np.float32)


def compiled(f, *arrays):
    """Like eager, with the leading dimension unknown."""
    got, want = harness.compiled(f, list(arrays), True), f(*arrays)
    for g, w in zip(kops.tree.flatten(got), kops.tree.flatten(want)):
        assert g.dtype == w.dtype and g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-5)
    return got


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_running_product(axis):
    compiled(lambda x: kops.cumprod(x, axis=axis), X)
    compiled(lambda x: kops.cumprod(x, axis=axis), np.array([[1, 2], [3, 4], [0, 5]], np.int32))


def test_a_body_takes_values_from_outside():
    def f(x, y):
        shift = kops.max(y)
        return kops.while_loop(lambda i, v: kops.less(i, 3), lambda i, v: (i + 1, v * 2.0 + shift + y[0]), (0, x))

    compiled(f, X, X)


def test_loops_nest_and_may_not_begin():
    def f(x):
        def outer(i, v):
            _, w = kops.while_loop(lambda j, w: kops.less(j, i), lambda j, w: (j + 1, w + v), (0, v))
            return i + 1, w

        return kops.while_loop(lambda i, v: kops.less(i, 4), outer, (0, x))[1]

    compiled(f, X)
    compiled(lambda x: kops.while_loop(lambda v: kops.sum(v) > 1e9, lambda v: v * 2.0, x), X)
    compiled(lambda x: kops.while_loop(lambda v: kops.sum(v) < 1e9, lambda v: v + 1.0, x, 3), X)


def test_common_divisors():
    a, b = RNG.integers(-50, 50, (2, 40)).astype(np.int32)
    a[:3], b[:2] = 0, 0
    np.testing.assert_array_equal(compiled(kops.gcd, a, b), np.gcd(a, b))
    np.testing.assert_array_equal(compiled(kops.lcm, a, b), np.lcm(a, b))
    np.testing.assert_array_equal(
        compiled(kops.gcd, a[:, None].astype(np.int8), b[:5].astype(np.int16)), np.gcd(a[:, None], b[:5])
    )
    big = np.array([2**31 - 1, 1836311903], np.int32), np.array([2**31 - 1, 1134903170], np.int32)
    np.testing.assert_array_equal(compiled(kops.gcd, *big), np.gcd(*big))


def test_counts():
    x = np.array([0, 1, 1, 3], np.int32)
    np.testing.assert_array_equal(compiled(kops.bincount, x), [1, 2, 0, 1])
    compiled(lambda x: kops.bincount(x, minlength=6), np.array([[0, 1], [2, 2], [0, 0]], np.int32))
    compiled(lambda x, w: kops.bincount(x, w), x, X.ravel()[:4])
    compiled(lambda x: kops.bincount(x, minlength=2), np.zeros(0, np.int32))


@pytest.mark.parametrize("shape", [(4, 4), (2, 5, 3), (2, 3, 5), (1, 1)])
def test_decompositions(shape):
    """Row exchanges, wide and tall matrices; the columns of zeros must not give NaN."""
    x = RNG.normal(size=shape).astype(np.float32)
    x[..., 0, 0] = 0
    static = [x] if len(shape) == 2 else []  # the first dimension is the matrix's own
    for f in (kops.lu_factor, kops.qr, lambda v: kops.qr(v, mode="complete")):
        for g, w in zip(harness.compiled(f, [x], not static), f(x)):
            np.testing.assert_allclose(g, w, atol=2e-5)
    q, r = harness.compiled(kops.qr, [np.zeros(shape, np.float32)], False)
    assert np.isfinite(q).all() and not np.asarray(r).any()


def test_decompositions_need_known_sizes():
    with pytest.raises(NotImplementedError, match="cholesky.*known size"):
        harness.compiled(kops.cholesky, [np.eye(3, dtype=np.float32)], True)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "int8", "uint16"])
def test_division_of_large_integers_is_exact(dtype):
    info = np.iinfo(dtype)
    low, high = max(info.min, -(2**31) + 1), min(info.max, 2**31 - 1)
    a, b, c = (RNG.integers(max(low, -s), min(high, s), 500).astype(dtype) for s in (2**31, 2**31, 50))
    for divisor in (b, c):
        safe = np.where(divisor == 0, 1, divisor)
        compiled(kops.mod, a, divisor)
        np.testing.assert_array_equal(compiled(kops.floor_divide, a, safe), np.floor_divide(a, safe))


def test_negatives_of_unsigned_integers_wrap():
    for dtype in ("uint8", "uint16", "uint32", "int8"):
        compiled(kops.negative, np.array([0, 1, 7], dtype))
    compiled(kops.absolute, np.array([True, False]))
