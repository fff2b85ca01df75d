from __future__ import annotations

import numpy as np
import pytest

from klayers import activations
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.activation import Activation, Softmax
from klayers.layers.identity import ActivityRegularization, Identity
from klayers.layers.masking import Masking
from klayers.layers.rectifiers import ELU, LeakyReLU, PReLU, ReLU

X = np.random.default_rng(1).normal(size=(2, 3, 4)).astype("float32") * 3
Z = X - X.max()
S = np.exp(X) / np.exp(X).sum(-1, keepdims=True)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda **k: Activation("tanh", **k), np.tanh(X)),
        (lambda **k: Activation(None, **k), X),
        (lambda **k: ReLU(2.0, 0.1, 0.5, **k), np.minimum(np.where(X >= 0.5, X, 0.1 * (X - 0.5)), 2)),
        (LeakyReLU, np.where(X > 0, X, 0.3 * X)),
        (lambda **k: ELU(0.5, **k), np.where(X > 0, X, 0.5 * np.expm1(np.minimum(X, 0)))),
        (Softmax, S),
        (lambda **k: Softmax([1, 2], **k), np.exp(Z) / np.exp(Z).sum((1, 2), keepdims=True)),
        (lambda **k: PReLU(**k), lambda x, alpha: np.where(x > 0, x, alpha * x)),
        (lambda **k: PReLU(shared_axes=[1], **k), lambda x, alpha: np.where(x > 0, x, alpha * x)),
        (Identity, X),
        (lambda **k: ActivityRegularization(0.1, 0.2, **k), X),
        (Masking, X),
    ],
)
def test_value(make, expected):
    check_layer(make, X, expected)


def test_prelu_has_a_slope_for_each_position_or_shares_it():
    for shared, shape in ((None, (3, 4)), ([1], (1, 4)), ([1, 2], (1, 1)), (2, (3, 1))):
        layer = PReLU(shared_axes=shared)
        layer(X)
        assert layer.alpha.shape == shape


def test_softmax_leaves_masked_positions_out():
    mask = np.array([[[1, 1, 0, 0]]] * 2, bool)
    y = as_array(Softmax()(X, mask=mask))
    kept = np.exp(X[..., :2])
    np.testing.assert_allclose(y[..., :2], kept / kept.sum(-1, keepdims=True), rtol=1e-5)
    np.testing.assert_array_equal(y[..., 2:], 0)
    np.testing.assert_array_equal(as_array(Softmax()(X, mask=np.zeros((2, 3, 4), bool))), 0)


def test_masking_zeroes_and_masks_steps():
    x = np.array([[[1, 1], [2, 2], [7, 7]], [[7, 7], [7, 0], [3, 3]]], "float32")
    layer = Masking(7.0)
    np.testing.assert_array_equal(as_array(layer(x)), x * [[[1], [1], [0]], [[0], [1], [1]]])
    np.testing.assert_array_equal(as_array(layer.compute_mask(x)), [[1, 1, 0], [0, 1, 1]])


def test_activity_regularization_adds_a_loss_per_sample():
    layer = ActivityRegularization(0.1, 0.2)
    layer(X)
    expected = (0.1 * np.abs(X).sum() + 0.2 * (X**2).sum()) / 2
    assert float(as_array(layer.losses[0])) == pytest.approx(expected, rel=1e-5)


def test_a_gated_activation_halves_the_last_axis():
    assert Activation("glu").compute_output_shape((None, 3, 4)) == (None, 3, 2)
    assert tuple(Activation("glu")(X).shape) == (2, 3, 2)


def test_older_names():
    assert LeakyReLU(alpha=0.1).negative_slope == 0.1
    assert Activation(activations.relu).get_config()["activation"] == "relu"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ReLU(max_value=-1), "max_value must be a number that is not negative, not -1"),
        (lambda: ReLU(negative_slope=None), "negative_slope must be"),
        (lambda: LeakyReLU(None), "negative_slope must be"),
        (lambda: Activation("reluu"), "Did you mean 'relu'"),
        (lambda: PReLU().build((None, None, 4)), "Name the axes of unknown size in shared_axes"),
    ],
)
def test_errors_teach(make, words):
    with pytest.raises(ValueError, match=words):
        make()
