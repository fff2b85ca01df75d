from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers import merging
from klayers.layers.concatenate import Concatenate, concatenate
from klayers.layers.dot import Dot, dot

RNG = np.random.default_rng(1)
X = RNG.normal(size=(2, 3, 4)).astype("float32")
Y = RNG.normal(size=(2, 3, 4)).astype("float32")
Z = RNG.normal(size=(2, 4)).astype("float32")
M1 = np.array([[1, 1, 0], [0, 0, 1]], bool)
M2 = np.array([[1, 0, 0], [0, 1, 1]], bool)


@pytest.mark.parametrize(
    ("cls", "expected"),
    [
        (merging.Add, lambda x, y: x + y),
        (merging.Subtract, lambda x, y: x - y),
        (merging.Multiply, lambda x, y: x * y),
        (merging.Average, lambda x, y: (x + y) / 2),
        (merging.Maximum, np.maximum),
        (merging.Minimum, np.minimum),
    ],
)
def test_elementwise(cls, expected):
    check_layer(lambda **k: cls(**k), [X, Y], expected(X, Y))
    # fewer axes: broadcast behind the batch
    check_layer(lambda **k: cls(**k), [X, Z], expected(X, Z[:, None]))
    function = getattr(merging, cls.__name__.lower())
    np.testing.assert_allclose(as_array(function([X, Y])), expected(X, Y), rtol=1e-6)


def test_more_than_two_and_one():
    np.testing.assert_allclose(as_array(merging.Add()([X, Y, X])), 2 * X + Y, rtol=1e-5)
    np.testing.assert_allclose(as_array(merging.Average()([X, Y, X])), (2 * X + Y) / 3, rtol=1e-5)
    np.testing.assert_array_equal(as_array(merging.Add()([X])), X)
    symbols = [kops.KerasTensor((None, 4)), kops.KerasTensor((None, 3, 4))]
    assert merging.Add()(symbols).shape == (None, 3, 4)


def test_masks_join():
    given = [kops.convert_to_tensor(M1), kops.convert_to_tensor(M2)]
    inputs = [kops.convert_to_tensor(X), kops.convert_to_tensor(Y)]
    np.testing.assert_array_equal(as_array(merging.Add().compute_mask(inputs, given)), M1 | M2)
    assert merging.Add().compute_mask(inputs, [given[0], None]) is None
    assert merging.Add().compute_mask(inputs, None) is None
    along = Concatenate(axis=1)
    np.testing.assert_array_equal(as_array(along.compute_mask(inputs, given)), np.hstack([M1, M2]))
    half = as_array(along.compute_mask(inputs, [given[0], None]))
    np.testing.assert_array_equal(half, np.hstack([M1, np.ones((2, 3), bool)]))
    np.testing.assert_array_equal(as_array(Concatenate().compute_mask(inputs, given)), M1 | M2)
    assert Concatenate().compute_mask(inputs, [None, None]) is None


def test_concatenate():
    check_layer(lambda **k: Concatenate(**k), [X, Y], np.concatenate([X, Y], -1))
    check_layer(lambda **k: Concatenate(1, **k), [X, Y, X], np.concatenate([X, Y, X], 1))
    np.testing.assert_array_equal(as_array(concatenate([X, Y], axis=2)), np.concatenate([X, Y], 2))
    unknown = [kops.KerasTensor((None, None, 4)), kops.KerasTensor((None, 3, 4))]
    assert Concatenate(1)(unknown).shape == (None, None, 4)


@pytest.mark.parametrize(
    ("axes", "x", "y", "equation"),
    [
        (2, X, Y, "abz,acz->abc"),
        (1, X, Y, "azb,azc->abc"),
        ((2, 1), X, Z, "abz,az->ab"),
        ((-1, -1), X, Y, "abz,acz->abc"),
    ],
)
def test_dot(axes, x, y, equation):
    check_layer(lambda **k: Dot(axes, **k), [x, y], np.einsum(equation, x, y), rtol=1e-5, atol=1e-5)


def test_dot_of_vectors_and_cosine():
    check_layer(lambda **k: Dot(1, **k), [Z, 2 * Z], 2 * (Z * Z).sum(1, keepdims=True))
    np.testing.assert_allclose(as_array(Dot(1, normalize=True)([Z, 2 * Z])), [[1.0], [1.0]], rtol=1e-5)
    np.testing.assert_allclose(as_array(dot([Z, Z], axes=1)), (Z * Z).sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: merging.Add()(X), "takes a list of tensors"),
        (lambda: merging.Add()([]), "takes a list of tensors"),
        (lambda: merging.Add()([X, np.ones((2, 3, 5), "float32")]), "cannot be broadcast to each other"),
        (lambda: merging.Add()([X, X[:1]]), "one batch size"),
        (lambda: merging.Subtract()([X, X, X]), "exactly 2"),
        (lambda: Concatenate(axis=1)([X, np.ones((2, 3, 5), "float32")]), "along axis 1 does not take"),
        (lambda: Concatenate(axis=5)([X, X]), "axis 5"),
        (lambda: Concatenate()(X), "takes a list of tensors"),
        (lambda: Dot(1)([Z, X[:, :, 0]]), "axes of equal size"),
        (lambda: Dot(0)([Z, Z]), "other than that of the batch"),
        (lambda: Dot(1)([Z]), "exactly 2"),
        (lambda: Dot((1,)), "two of them"),
    ],
)
def test_errors_teach(make, words):
    with pytest.raises(ValueError, match=words):
        make()
