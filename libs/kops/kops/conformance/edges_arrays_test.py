"""Array ops at the edges of their arguments: Python numbers beside tensors, saturating casts, options out of range."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from kops.conformance import collect
from kops.dtypes import limits
from kops.engine import engine

collect.rows()  # declares the ops


def host(x):
    return np.asarray(engine().to_numpy(x))


@pytest.mark.parametrize("make", [np.linspace, np.logspace, np.geomspace])
def test_python_numbers_are_ends_of_intervals(make):
    ends = np.array([2.0, 4.0], "float32")
    op = getattr(kops, make.__name__)
    np.testing.assert_allclose(host(op(1.0, ends, num=3)), make(1.0, ends, num=3), rtol=1e-5)
    np.testing.assert_allclose(host(op(kops.array(ends), 1, num=3)), make(ends, 1, num=3), rtol=1e-5)


def test_python_numbers_are_tensors_of_no_dimension():
    x = np.array([1.0, 2.0], "float32")
    np.testing.assert_array_equal(host(kops.hstack([3.0, kops.array(x)])), [3, 1, 2])
    np.testing.assert_array_equal(host(kops.meshgrid(3.0, kops.array(x))[0]), [[3], [3]])
    np.testing.assert_array_equal(host(kops.inner(3.0, kops.array(x))), [3, 6])
    np.testing.assert_array_equal(host(kops.quantile(4.0, kops.array([0.0, 1.0]))), [4, 4])


@pytest.mark.parametrize("source", ["float16", "bfloat16", "float32", "float64"])
def test_saturating_casts_of_floats(source):
    x = kops.cast([-np.inf, -3.0, np.nan, 2.0, np.inf], source)
    np.testing.assert_array_equal(host(kops.saturate_cast(x, "uint8")), [0, 0, 0, 2, 255])
    np.testing.assert_array_equal(host(kops.saturate_cast(x, "bool")), [False, False, True, True, True])
    for target in map(engine().canonical, ("int32", "int64", "uint64")):  # of which no float32 holds the limits
        low, high = limits(target)
        want = np.array([low, max(low, -3), 0, 2, high], target)
        np.testing.assert_array_equal(host(kops.saturate_cast(x, target)), want)
    if source != "float16":
        np.testing.assert_array_equal(host(kops.saturate_cast(x, "float16")), [-65504, -3, np.nan, 2, 65504])


def test_saturating_casts_of_other_numbers():
    np.testing.assert_array_equal(host(kops.saturate_cast(np.array([-3 + 1j, 300 - 1j, 7j]), "uint8")), [0, 255, 0])
    np.testing.assert_array_equal(host(kops.saturate_cast(300.0, "uint8")), 255)
    np.testing.assert_array_equal(host(kops.saturate_cast(np.array([-3, 300], "int32"), "uint8")), [0, 255])


def test_no_dtype_is_floatx():
    assert kops.dtype(kops.cast(np.array([1, 2], "int32"), None)) == "float32"
    bits = np.array([1.5, -2.0], "float32").view("int32")
    np.testing.assert_array_equal(host(kops.view(bits)), [1.5, -2.0])
    if engine().NAME != "tensorflow":  # which has no bits of complex numbers
        parts = kops.view(np.array([1.5 - 2j], "complex64"), "float32")
        np.testing.assert_array_equal(host(parts), [1.5, -2.0])


@pytest.mark.parametrize("dtype", [None, "bool", "int8", "complex64"])
def test_sets_of_classes_in_any_dtype(dtype):
    want = np.array([[1, 0, 1], [0, 1, 0]], dtype or "float32")
    got = host(kops.multi_hot(np.array([[0, 2], [1, 1]]), 3, dtype=dtype))
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


def test_unique_of_a_size_along_the_last_axis():
    x = np.array([[3, 1, 3], [2, 1, 2]], "int32")
    values, counts = kops.unique(x, return_counts=True, axis=-1, size=4)
    np.testing.assert_array_equal(host(values), [[1, 3, 1, 1], [1, 2, 1, 1]])
    np.testing.assert_array_equal(host(counts), [1, 2, 0, 0])
    np.testing.assert_array_equal(host(kops.unique(x[0], axis=-1, size=3, fill_value=9)), [1, 3, 9])


def test_initial_numbers_that_the_dtype_does_not_hold():
    x = np.array([5, 1], "uint8")
    assert host(kops.max(x, initial=-1)) == 5
    assert host(kops.min(x, initial=300)) == 1
    assert host(kops.max(np.array([], "int32"), initial=-np.inf)) == -(2**31)


def test_positions_are_whole_numbers():
    x = np.ones((4, 5), "float32")
    for wrong in (lambda: kops.unravel_index([1.0], (2, 2)), lambda: kops.slice(x, kops.array([1.0, 2.0]), (2, 2))):
        with pytest.raises(TypeError, match="indices are integers"):
            wrong()
    for wrong in (2.0, (None, 3)):
        with pytest.raises(TypeError, match="indices_or_sections.* an int or several"):
            kops.split(x, wrong)


def test_weights_of_counts_are_of_any_dtype():
    places = np.array([0, 2, 2], "int32")
    np.testing.assert_array_equal(host(kops.bincount(places, np.array([1, 2, 3], "uint8"))), [1, 0, 5])
    shares = np.array([0.5 + 1j, 1, 2], "complex64")
    np.testing.assert_array_equal(host(kops.bincount(places, shares)), [0.5 + 1j, 0, 3])
