"""Tensors from shapes and numbers, on the active engine."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from kops.keras_tensor import KerasTensor

DTYPES = ("float32", "bfloat16", "int8", "bool")


def values(x):
    return kops.convert_to_numpy(x).astype(np.float64)


@pytest.mark.parametrize("dtype", DTYPES)
def test_filled(dtype):
    for make, number in ((kops.zeros, 0), (kops.ones, 1)):
        x = make((2, 3), dtype)
        assert kops.dtype(x) == dtype
        np.testing.assert_array_equal(values(x), np.full((2, 3), number))
    assert kops.dtype(kops.empty((2,), dtype)) == dtype


def test_shapes_of_all_kinds():
    for shape, want in ((3, (3,)), ((), ()), ([2, 0], (2, 0)), (np.int64(2), (2,)), ((np.int32(2), 1), (2, 1))):
        assert tuple(kops.zeros(shape).shape) == want


def test_floatx_is_the_default():
    assert kops.dtype(kops.full((2,), 3)) == "float32"
    np.testing.assert_array_equal(values(kops.full((2,), 3, "int32")), [3, 3])


def test_full_of_a_tensor():
    np.testing.assert_array_equal(values(kops.full((2, 3), kops.convert_to_tensor([1, 2, 3]))), [[1, 2, 3]] * 2)


def test_unknown_dimensions_give_symbolic_tensors():
    x = kops.zeros((None, 2), "int32")
    assert isinstance(x, KerasTensor) and x.shape == (None, 2) and x.dtype == "int32"
    assert kops.arange(None).shape == (None,)


@pytest.mark.parametrize(("n", "m", "k"), [(3, None, 0), (2, 4, 1), (4, 2, -1), (3, 3, 5), (0, 2, 0)])
def test_diagonals(n, m, k):
    np.testing.assert_array_equal(values(kops.eye(n, m, k)), np.eye(n, m, k))
    np.testing.assert_array_equal(values(kops.tri(n, m, k, "int32")), np.tri(n, m, k))
    for dtype in ("uint16", "uint64", "float16", "bool"):
        np.testing.assert_array_equal(values(kops.eye(n, m, k, dtype)), np.eye(n, m, k))
        np.testing.assert_array_equal(values(kops.tri(n, m, k, dtype)), np.tri(n, m, k))


def test_identity():
    np.testing.assert_array_equal(values(kops.identity(3)), np.eye(3))


@pytest.mark.parametrize(
    ("args", "dtype"),
    [
        ((5,), "int32"),
        ((1, 6), "int32"),
        ((6, 1, -2), "int32"),
        ((0, 1, 0.25), "float32"),
        ((2.5,), "float32"),
        ((3, 3), "int32"),
    ],
)
def test_arange(args, dtype):
    x = kops.arange(*args)
    assert kops.dtype(x) == dtype
    np.testing.assert_allclose(values(x), np.arange(*args))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "uint8", "int64"])
def test_arange_of_a_dtype(dtype):
    x = kops.arange(4, dtype=dtype)
    assert kops.dtype(x) == kops.dtype(kops.cast(1, dtype))
    np.testing.assert_array_equal(values(x), np.arange(4))


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
@pytest.mark.parametrize("size", [0, 1, 6])
def test_windows(name, size):
    x = getattr(kops, name)(size)
    assert kops.dtype(x) == "float32"
    np.testing.assert_allclose(values(x), getattr(np, name)(size), atol=1e-6)


def test_kaiser():
    np.testing.assert_allclose(values(kops.kaiser(5, 8.6)), np.kaiser(5, 8.6), atol=1e-6)
    np.testing.assert_allclose(values(kops.kaiser(kops.convert_to_tensor(3), 0)), np.ones(3), atol=1e-6)


def test_windows_need_a_length():
    with pytest.raises(TypeError, match="length"):
        kops.hanning(KerasTensor((), "int32"))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_meshgrid(indexing):
    parts = [np.arange(2.0), np.arange(3.0), np.arange(4.0)]
    for count in (1, 2, 3):
        for got, want in zip(kops.meshgrid(*parts[:count], indexing=indexing),
                             np.meshgrid(*parts[:count], indexing=indexing)):  # fmt: skip
            np.testing.assert_array_equal(values(got), want)
        symbols = kops.meshgrid(*(KerasTensor(p.shape) for p in parts[:count]), indexing=indexing)
        assert [s.shape for s in symbols] == [w.shape for w in np.meshgrid(*parts[:count], indexing=indexing)]


def test_meshgrid_refuses():
    with pytest.raises(ValueError, match="'xy' or 'ij'"):
        kops.meshgrid(np.arange(2), np.arange(3), indexing="yx")
