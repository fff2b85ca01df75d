from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.cropping import Cropping1D, Cropping2D, Cropping3D, ZeroPadding1D, ZeroPadding2D, ZeroPadding3D
from klayers.layers.upsampling import UpSampling1D, UpSampling2D, UpSampling3D

X1 = np.random.default_rng(1).normal(size=(2, 5, 4)).astype("float32")
X2 = np.random.default_rng(2).normal(size=(2, 5, 6, 3)).astype("float32")
X3 = np.random.default_rng(3).normal(size=(2, 3, 4, 5, 2)).astype("float32")


@pytest.mark.parametrize(
    ("make", "x", "expected"),
    [
        (lambda **k: ZeroPadding1D((1, 2), **k), X1, np.pad(X1, ((0, 0), (1, 2), (0, 0)))),
        (lambda **k: ZeroPadding2D((1, 2), **k), X2, np.pad(X2, ((0, 0), (1, 1), (2, 2), (0, 0)))),
        (
            lambda **k: ZeroPadding2D(((1, 0), (2, 3)), data_format="channels_first", **k),
            X2,
            np.pad(X2, ((0, 0), (0, 0), (1, 0), (2, 3))),
        ),
        (lambda **k: ZeroPadding3D(1, **k), X3, np.pad(X3, ((0, 0), (1, 1), (1, 1), (1, 1), (0, 0)))),
        (lambda **k: Cropping1D((1, 2), **k), X1, X1[:, 1:-2]),
        (lambda **k: Cropping2D(((0, 1), (2, 0)), **k), X2, X2[:, :-1, 2:]),
        (lambda **k: Cropping2D(1, data_format="channels_first", **k), X2, X2[:, :, 1:-1, 1:-1]),
        (lambda **k: Cropping3D((0, 1, (2, 1)), **k), X3, X3[:, :, 1:-1, 2:-1]),
        (lambda **k: UpSampling1D(3, **k), X1, X1.repeat(3, 1)),
        (lambda **k: UpSampling2D((2, 3), **k), X2, X2.repeat(2, 1).repeat(3, 2)),
        (lambda **k: UpSampling2D(2, data_format="channels_first", **k), X2, X2.repeat(2, 2).repeat(2, 3)),
        (lambda **k: UpSampling3D((2, 1, 2), **k), X3, X3.repeat(2, 1).repeat(2, 3)),
    ],
)
def test_value(make, x, expected):
    check_layer(make, x, expected)


def test_interpolation():
    x = np.arange(4, dtype="float32").reshape(1, 2, 2, 1)
    y = as_array(UpSampling2D(interpolation="bilinear")(x))[0, :, :, 0]
    weights = np.array([[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]])
    np.testing.assert_allclose(y, weights @ x[0, :, :, 0] @ weights.T, rtol=1e-5, atol=1e-6)
    first = UpSampling2D(interpolation="bilinear", data_format="channels_first")
    np.testing.assert_allclose(as_array(first(x.reshape(1, 1, 2, 2)))[0, 0], y, rtol=1e-5, atol=1e-6)
    assert first(kops.KerasTensor((None, 3, 4, 5))).shape == (None, 3, 8, 10)


def test_forms_of_the_argument():
    assert ZeroPadding2D(1).padding == ((1, 1), (1, 1))
    assert ZeroPadding2D([[1, 2], 3]).padding == ((1, 2), (3, 3))
    assert ZeroPadding1D(2).padding == (2, 2) and Cropping1D(2).cropping == (2, 2)
    assert ZeroPadding2D()(kops.KerasTensor((None, None, 4, 3))).shape == (None, None, 6, 3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ZeroPadding2D((1, 2, 3)), "for each of 2 axes"),
        (lambda: ZeroPadding2D(-1), "none of them negative"),
        (lambda: Cropping1D("a"), "cropping must be an integer"),
        (lambda: Cropping1D((3, 2))(X1), "nothing would be left"),
        (lambda: Cropping1D((3, 2))(kops.KerasTensor((None, 5, 4))), "nothing would be left"),
        (lambda: UpSampling1D(0), "size must be a positive integer"),
        (lambda: UpSampling2D(interpolation="foo"), "interpolation must be one of"),
        (lambda: UpSampling2D(2)(X1), "4 axes, not 3"),
    ],
)
def test_errors_teach(make, words):
    with pytest.raises(ValueError, match=words):
        make()
