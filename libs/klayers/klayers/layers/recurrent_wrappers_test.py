"""Bidirectional, TimeDistributed and ConvLSTM."""

import numpy as np
import pytest

import kops
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.batch_normalization import BatchNormalization
from klayers.layers.bidirectional import Bidirectional
from klayers.layers.conv_lstm import ConvLSTM1D, ConvLSTM2D, ConvLSTM3D
from klayers.layers.dense import Dense
from klayers.layers.gru import GRU
from klayers.layers.lstm import LSTM
from klayers.layers.masking import Masking
from klayers.layers.time_distributed import TimeDistributed

X = np.random.default_rng(0).normal(size=(2, 5, 3)).astype("float32")


@pytest.mark.parametrize("mode", ["concat", "sum", "mul", "ave", None])
def test_both_directions(mode):
    layer = Bidirectional(GRU(4, return_sequences=True), merge_mode=mode)
    found = layer(X)
    ahead, back = as_array(layer.forward_layer(X)), as_array(layer.backward_layer(X))[:, ::-1]
    # The backward layer sees the steps in the opposite order.
    forwards = GRU(4, return_sequences=True)
    forwards.build(X.shape)
    forwards.set_weights(layer.backward_layer.get_weights())
    np.testing.assert_allclose(as_array(forwards(X[:, ::-1]))[:, ::-1], back, atol=1e-6)
    if mode is None:
        np.testing.assert_allclose(as_array(found[1]), back, atol=1e-6)
        return
    merged = {
        "concat": np.concatenate([ahead, back], -1),
        "sum": ahead + back,
        "mul": ahead * back,
        "ave": (ahead + back) / 2,
    }[mode]
    np.testing.assert_allclose(as_array(found), merged, atol=1e-6)


def test_bidirectional_layers():
    check_layer(lambda **k: Bidirectional(LSTM(3, return_sequences=True), **k), X, low_precision=False)
    check_layer(
        lambda **k: Bidirectional(LSTM(3), backward_layer=GRU(2, go_backwards=True), **k), X, low_precision=False
    )
    layer = Bidirectional(LSTM(3, return_state=True))
    y, *states = layer(X)
    assert len(states) == 4 and y.shape == (2, 6)
    again = layer(X, initial_state=states)[0]
    assert not np.allclose(as_array(again), as_array(y))
    assert layer.forward_layer.name.startswith("forward_") and layer.backward_layer.name.startswith("backward_")
    again = Bidirectional.from_config(layer.get_config())
    assert again.forward_layer.get_config() == layer.forward_layer.get_config()
    assert again.backward_layer.get_config() == layer.backward_layer.get_config()


def test_bidirectional_with_a_mask():
    x = X.copy()
    x[:, 3:] = 0
    layer = Bidirectional(LSTM(3))
    found = as_array(layer(Masking()(x)))
    np.testing.assert_allclose(found, as_array(layer(x[:, :3])), atol=1e-6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Bidirectional(LSTM(2), merge_mode="max"), "merge_mode must be one of"),
        (lambda: Bidirectional(LSTM(2), backward_layer=LSTM(2)), "different go_backwards"),
        (lambda: Bidirectional(2), "takes a layer"),
        (lambda: TimeDistributed(Dense(2))(X[0]), "at least 3 axes"),
    ],
)
def test_wrong_arguments(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_each_step_through_a_layer():
    x = X[:, :, None, :]
    check_layer(lambda **k: TimeDistributed(Dense(2), **k), x, lambda x, w, b: x @ w + b, low_precision=False)


def test_statistics_of_one_step_after_another():
    inner = BatchNormalization(momentum=0.5)
    layer = TimeDistributed(inner)
    found = as_array(layer(X, training=True))
    expected = (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-3)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    mean = np.zeros(3)
    for t in range(5):
        mean = 0.5 * mean + 0.5 * X[:, t].mean(0)
    np.testing.assert_allclose(inner.moving_mean.numpy(), mean, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("cls", "shape"), [(ConvLSTM1D, (2, 3, 6, 2)), (ConvLSTM2D, (2, 3, 5, 6, 2)), (ConvLSTM3D, (1, 2, 4, 4, 4, 1))]
)
def test_a_kernel_of_one_is_an_lstm_at_each_place(cls, shape):
    x = np.random.default_rng(1).normal(size=shape).astype("float32")
    layer = cls(3, 1, return_sequences=True)
    found = as_array(layer(x))
    spatial = shape[2:-1]
    plain = LSTM(3, return_sequences=True)
    rows = np.moveaxis(x, 1, -2).reshape(-1, shape[1], shape[-1])
    plain.build(rows.shape)
    plain.set_weights([v.numpy().reshape(v.shape[-2:]) if len(v.shape) > 1 else v.numpy() for v in layer.weights])
    expected = np.moveaxis(as_array(plain(rows)).reshape(shape[0], *spatial, shape[1], 3), -2, 1)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_conv_lstm_shapes():
    x = np.random.default_rng(1).normal(size=(2, 3, 6, 7, 2)).astype("float32")
    layer = check_layer(lambda **k: ConvLSTM2D(3, (3, 2), strides=2, **k), x, low_precision=False, jit=False)
    assert layer(x).shape == (2, 2, 3, 3)
    assert [s.shape[1:] for s in layer.get_initial_state(5)] == [(2, 3, 3)] * 2
    y, h, c = ConvLSTM2D(3, 3, padding="same", return_state=True)(x)
    assert y.shape == h.shape == c.shape == (2, 6, 7, 3)
    mask = np.array([[1, 1, 0], [1, 0, 0]], bool)
    masked = layer(x, mask=mask)
    np.testing.assert_allclose(as_array(masked)[1], as_array(layer(x[:, :1]))[1], atol=1e-5)
    assert kops.standardize_dtype(masked.dtype) == "float32"
