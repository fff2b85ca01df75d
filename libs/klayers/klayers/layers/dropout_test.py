from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.dropout import Dropout, SpatialDropout1D, SpatialDropout2D, SpatialDropout3D
from klayers.layers.noise import AlphaDropout, GaussianDropout, GaussianNoise

X = np.random.default_rng(1).normal(size=(2, 3, 4)).astype("float32")
MANY = np.ones((200, 500), "float32")


def trained(layer, x):
    return as_array(layer(x, training=True))


@pytest.mark.parametrize(
    ("make", "x"),
    [
        (lambda **k: Dropout(0.5, **k), X),
        (lambda **k: GaussianNoise(0.5, **k), X),
        (lambda **k: GaussianDropout(0.5, **k), X),
        (lambda **k: AlphaDropout(0.5, **k), X),
        (lambda **k: SpatialDropout1D(0.5, **k), X),
        (lambda **k: SpatialDropout2D(0.5, **k), X[:, None]),
        (lambda **k: SpatialDropout3D(0.5, **k), X[:, None, None]),
    ],
)
def test_nothing_changes_outside_of_training(make, x):
    layer = check_layer(make, x, x)
    assert not layer.weights and len(layer.variables) == 1
    assert layer.supports_masking
    assert tuple(layer(x, training=True).shape) == x.shape


def test_dropout_keeps_the_mean_and_the_share():
    y = trained(Dropout(0.3, seed=1), MANY)
    assert set(np.unique(y.round(5))) == {0.0, np.float32(1 / 0.7).round(5)}
    assert (y == 0).mean() == pytest.approx(0.3, abs=0.01)
    np.testing.assert_array_equal(trained(Dropout(1.0), X), 0)
    layer = Dropout(0.0)
    np.testing.assert_array_equal(trained(layer, X), X)
    assert layer.variables == []


def test_seeds_reproduce_and_calls_differ():
    layer = Dropout(0.5, seed=3)
    first, second = trained(layer, MANY), trained(layer, MANY)
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(trained(Dropout(0.5, seed=3), MANY), first)


def test_the_position_in_the_sequence_is_state():
    layer = Dropout(0.5, seed=3)
    layer.build(MANY.shape)
    state = [v.value for v in layer.non_trainable_variables]
    y, after = layer.stateless_call([], state, MANY, training=True)
    again, _ = layer.stateless_call([], state, MANY, training=True)
    other, _ = layer.stateless_call([], after, MANY, training=True)
    np.testing.assert_array_equal(as_array(y), as_array(again))
    assert not np.array_equal(as_array(y), as_array(other))


def test_noise_shape_shares_the_choice():
    y = trained(Dropout(0.5, noise_shape=(None, 1, None), seed=1), np.ones((8, 3, 4), "float32"))
    assert (y == y[:, :1]).all() and 0 < (y == 0).mean() < 1
    y = trained(SpatialDropout1D(0.5, seed=1), np.ones((8, 3, 4), "float32"))
    assert (y == y[:, :1]).all() and 0 < (y == 0).mean() < 1
    y = trained(SpatialDropout2D(0.5, data_format="channels_first", seed=1), np.ones((8, 6, 3, 4), "float32"))
    assert (y == y[:, :, :1, :1]).all() and 0 < (y == 0).mean() < 1


def test_noise():
    y = trained(GaussianNoise(0.5, seed=1), MANY)
    assert y.mean() == pytest.approx(1, abs=0.01) and y.std() == pytest.approx(0.5, abs=0.01)
    y = trained(GaussianDropout(0.2, seed=1), MANY)
    assert y.mean() == pytest.approx(1, abs=0.01) and y.std() == pytest.approx(0.5, abs=0.01)
    normal = np.random.default_rng(0).normal(size=(300, 500)).astype("float32")
    y = trained(AlphaDropout(0.2, seed=1), normal)
    assert y.mean() == pytest.approx(0, abs=0.02) and y.std() == pytest.approx(1, abs=0.02)
    y = trained(AlphaDropout(0.5, noise_shape=(None, 1, None), seed=1), np.ones((8, 3, 4), "float32"))
    assert (y == y[:, :1]).all() and len(np.unique(y)) == 2


def test_low_precision_noise():
    for layer in (GaussianNoise(0.5, dtype="mixed_bfloat16"), Dropout(0.5, dtype="mixed_bfloat16")):
        assert kops.standardize_dtype(layer(X, training=True).dtype) == "bfloat16"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Dropout(-1), "rate must be a number from 0 to 1, not -1"),
        (lambda: Dropout("a"), "rate must be a number"),
        (lambda: Dropout(0.5, noise_shape="a"), "noise_shape must be a tuple of sizes"),
        (lambda: Dropout(0.5, noise_shape=(1, 2))(X, training=True), "not as many axes"),
        (lambda: GaussianNoise(2.0), "stddev must be a number from 0 to 1"),
        (lambda: GaussianDropout(1.0), "less than 1"),
        (lambda: AlphaDropout(1.0), "less than 1"),
        (lambda: SpatialDropout2D(0.5)(X), "4 axes, not 3"),
    ],
)
def test_errors_teach(make, words):
    with pytest.raises(ValueError, match=words):
        make()
