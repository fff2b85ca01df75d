from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.reshaping import Flatten, Permute, RepeatVector, Reshape

X = np.arange(2 * 3 * 4, dtype="float32").reshape(2, 3, 4)


def symbolic(layer, *shape):
    return layer(kops.KerasTensor(shape)).shape


def test_flatten():
    check_layer(Flatten, X, X.reshape(2, 12))
    moved = X.transpose(0, 2, 1).reshape(2, 12)
    check_layer(lambda **k: Flatten("channels_first", **k), X, moved)
    assert tuple(Flatten()(np.ones(2, "float32")).shape) == (2, 1)
    assert kops.standardize_dtype(Flatten()(X.astype("int32")).dtype) == "int32"
    assert symbolic(Flatten(), None, None, 3) == (None, None)
    assert symbolic(Flatten(), None, 0, 3) == (None, 0)
    assert Flatten()(kops.KerasTensor((None, 2, 3), dtype="int32")).dtype == "int32"


def test_reshape():
    check_layer(lambda **k: Reshape((4, 3), **k), X, X.reshape(2, 4, 3))
    check_layer(lambda **k: Reshape((-1, 2), **k), X, X.reshape(2, 6, 2))
    assert symbolic(Reshape((-1, 2)), None, None, 4) == (None, None, 2)
    assert symbolic(Reshape((6, 2)), None, None, 4) == (None, 6, 2)
    assert tuple(Reshape(())(np.ones((2, 1), "float32")).shape) == (2,)


def test_permute_and_repeat():
    check_layer(lambda **k: Permute((2, 1), **k), X, X.transpose(0, 2, 1))
    check_layer(lambda **k: RepeatVector(3, **k), X[:, 0], np.repeat(X[:, :1], 3, axis=1))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Reshape((-1, -1)), "at most one is -1"),
        (lambda: Reshape((5,))(X), r"cannot bring 12 elements .* into the shape \(5,\)"),
        (lambda: Reshape((5, -1))(kops.KerasTensor((None, 3, 4))), "cannot bring 12 elements"),
        (lambda: Permute((0, 1)), r"axes 1 to n in any order .* not \(0, 1\)"),
        (lambda: RepeatVector(0), "n must be a positive integer, not 0"),
        (lambda: RepeatVector(3)(X), "2 axes, not 3"),
    ],
)
def test_errors_teach(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_repeat_takes_an_integer():
    with pytest.raises(TypeError, match="n must be an integer, not 'a'"):
        RepeatVector("a")


def test_unknown_batch_at_run_time():
    if kops.config.backend() != "tensorflow":
        pytest.skip("only TensorFlow has tensors whose sizes are unknown while a function is traced")
    import tensorflow as tf

    layers = [Flatten(), Reshape((-1, 2)), Permute((2, 1))]
    for layer in layers:
        call = tf.function(lambda x, layer=layer: layer(x), input_signature=[tf.TensorSpec((None, None, 4))])
        np.testing.assert_array_equal(as_array(call(tf.constant(X))), as_array(layer(X)))
