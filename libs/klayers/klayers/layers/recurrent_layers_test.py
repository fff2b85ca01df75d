"""LSTM, GRU, SimpleRNN and RNN against loops in NumPy."""

import numpy as np
import pytest

import kops
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layer import Layer
from klayers.layers.gru import GRU, GRUCell
from klayers.layers.lstm import LSTM, LSTMCell
from klayers.layers.rnn import RNN
from klayers.layers.simple_rnn import SimpleRNN, SimpleRNNCell
from klayers.layers.stacked_rnn_cells import StackedRNNCells
from kops.engine import engine
from kops.keras_tensor import KerasTensor

X = np.random.default_rng(0).normal(size=(2, 5, 3)).astype("float32")
MASK = np.array([[1, 1, 0, 1, 0], [0, 1, 1, 0, 1]], bool)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(x, states, kernel, recurrent, bias):
    h, c = states
    i, f, g, o = np.split(x @ kernel + h @ recurrent + bias, 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return [sigmoid(o) * np.tanh(c), c]


def gru_step(x, states, kernel, recurrent, bias):
    (h,) = states
    xz, xr, xn = np.split(x @ kernel + bias[0], 3, axis=-1)
    hz, hr, hn = np.split(h @ recurrent + bias[1], 3, axis=-1)
    z, n = sigmoid(xz + hz), np.tanh(xn + sigmoid(xr + hr) * hn)
    return [z * h + (1 - z) * n]


def simple_step(x, states, kernel, recurrent, bias):
    return [np.tanh(x @ kernel + states[0] @ recurrent + bias)]


def run(step, x, count, weights, mask=None, zero=False):
    """Outputs of all steps and the last states, one sample at a time."""
    outputs, finals = [], []
    for n in range(len(x)):
        states, output, rows = [np.zeros(weights[1].shape[0])] * count, np.zeros(weights[1].shape[0]), []
        for t in range(x.shape[1]):
            if mask is None or mask[n, t]:
                states = step(x[n, t], states, *weights)
                output = states[0]
                rows.append(output)
            else:
                rows.append(np.zeros_like(output) if zero else output)
        outputs.append(rows)
        finals.append(states)
    return np.array(outputs), [np.array(s) for s in zip(*finals)]


KINDS = [(LSTM, lstm_step, 2), (GRU, gru_step, 1), (SimpleRNN, simple_step, 1)]


@pytest.mark.parametrize(("cls", "step", "count"), KINDS)
def test_all_steps_and_the_last(cls, step, count):
    def expected(x, *weights):
        return run(step, x, count, weights)[0]

    check_layer(lambda **k: cls(4, return_sequences=True, **k), X, expected, rtol=1e-4, atol=1e-5)
    check_layer(lambda **k: cls(4, **k), X, lambda x, *w: expected(x, *w)[:, -1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("own_loop", [False, True, "unrolled"])
@pytest.mark.parametrize("options", [{}, {"zero_output_for_mask": True}, {"go_backwards": True}])
@pytest.mark.parametrize(("cls", "step", "count"), KINDS)
def test_masks(cls, step, count, options, own_loop):
    layer = cls(4, return_sequences=True, return_state=True, **options)
    layer.build(X.shape)
    weights = [v.numpy() + 0.1 for v in layer.weights]
    layer.set_weights(weights)
    if own_loop:
        layer = RNN(layer.cell, return_sequences=True, return_state=True, unroll=own_loop == "unrolled", **options)
    found = layer(X, mask=MASK)
    back = slice(None, None, -1 if options.get("go_backwards") else 1)
    outputs, states = run(step, X[:, back], count, weights, MASK[:, back], options.get("zero_output_for_mask", False))
    for a, b in zip(found, [outputs, *states]):
        np.testing.assert_allclose(as_array(a), b, rtol=1e-4, atol=1e-5)
    assert len(found) == 1 + len(states)


def test_initial_state_goes_on_where_another_call_ended():
    layer = LSTM(4, return_sequences=True, return_state=True)
    whole, *end = layer(X)
    first, *states = layer(X[:, :2])
    second, *last = layer(X[:, 2:], initial_state=states)
    np.testing.assert_allclose(np.concatenate([as_array(first), as_array(second)], 1), as_array(whole), atol=1e-6)
    np.testing.assert_allclose(as_array(last[1]), as_array(end[1]), atol=1e-6)
    symbolic = layer(KerasTensor((None, 7, 3), "float32"), initial_state=[KerasTensor((None, 4))] * 2)
    assert [s.shape for s in symbolic] == [(None, 7, 4), (None, 4), (None, 4)]


def test_stateful_layers_remember():
    layer = GRU(4, stateful=True, return_sequences=True)
    first, second = as_array(layer(X[:, :2])), as_array(layer(X[:, 2:]))
    plain = GRU(4, return_sequences=True)
    plain.build(X.shape)
    plain.set_weights([v.numpy() for v in layer.cell.weights])
    np.testing.assert_allclose(np.concatenate([first, second], 1), as_array(plain(X)), atol=1e-6)
    layer.reset_state()
    np.testing.assert_allclose(as_array(layer(X[:, :2])), first, atol=1e-6)
    assert len(layer._file_variables()) == 0
    with pytest.raises(ValueError, match="batch size must be known"):
        GRU(4, stateful=True)(KerasTensor((None, 5, 3)))


def test_states_are_variables_and_no_weights():
    layer = GRU(4, stateful=True)
    layer(np.zeros((2, 5, 3), "float32"))
    assert len(layer.weights) == len(layer.get_weights()) == 3
    assert len(layer.trainable_weights) == 3 and layer.non_trainable_weights == []
    assert len(layer.variables) > 3


@pytest.mark.skipif(engine().NAME != "torch", reason="the engine whose variables are changed in place")
def test_gradients_survive_the_change_of_state():
    layer = GRU(4, stateful=True)
    for _ in range(2):
        out = layer(X)
        kops.sum(out).backward()
    assert layer.cell.recurrent_kernel.value.grad is not None


def test_other_activations_leave_the_fused_op():
    layer = LSTM(4, activation="relu", recurrent_activation="hard_sigmoid", use_bias=False)
    x = X[:1, :1]
    found = as_array(layer(x))
    i, f, g, o = np.split(x[0, 0] @ layer.cell.kernel.numpy(), 4)

    def gate(v):
        return np.clip(v / 6 + 0.5, 0, 1)

    np.testing.assert_allclose(found[0], gate(o) * np.maximum(gate(i) * np.maximum(g, 0), 0), atol=1e-6)


def test_gru_with_the_reset_before():
    layer = GRU(4, reset_after=False)
    found = as_array(layer(X))
    kernel, recurrent, bias = (v.numpy() for v in layer.weights)
    h = np.zeros((2, 4))
    for t in range(5):
        xz, xr, xn = np.split(X[:, t] @ kernel + bias, 3, axis=-1)
        hz, hr = np.split(h @ recurrent[:, :8], 2, axis=-1)
        n = np.tanh(xn + (sigmoid(xr + hr) * h) @ recurrent[:, 8:])
        h = sigmoid(xz + hz) * h + (1 - sigmoid(xz + hz)) * n
    np.testing.assert_allclose(found, h, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(as_array(RNN(layer.cell)(X)), h, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("cls", [LSTM, GRU, SimpleRNN])
def test_dropout_takes_the_same_features_at_all_steps(cls):
    layer = cls(4, dropout=0.5, seed=1, return_sequences=True)
    x = np.ones((3, 6, 8), "float32")
    layer.build(x.shape)
    # The kernel alone: outputs tell which features came through.
    weights = [np.full(v.shape, 0.1) if v is layer.cell.kernel else np.zeros(v.shape) for v in layer.weights]
    layer.set_weights(weights)
    own = RNN(layer.cell, return_sequences=True)
    trained, plain = as_array(layer(x, training=True)), as_array(layer(x))
    assert not np.allclose(trained, plain)
    if cls is SimpleRNN:
        np.testing.assert_allclose(trained, np.repeat(trained[:, :1], 6, axis=1), atol=1e-6)
        kept = np.arctanh(trained[:, 0, 0]) / 0.2
        np.testing.assert_allclose(kept, np.round(kept), atol=1e-4)
    assert not layer.cell._dropout_masks
    assert own(x, training=True).shape == (3, 6, 4)
    recurrent = cls(4, recurrent_dropout=0.5)
    assert not np.allclose(as_array(recurrent(x, training=True)), as_array(recurrent(x)))


def test_bias_of_the_forget_gate_starts_at_one():
    layer = LSTM(2)
    layer.build((None, 3, 3))
    np.testing.assert_array_equal(layer.cell.bias.numpy(), [0, 0, 1, 1, 0, 0, 0, 0])


def test_cells_one_upon_the_other():
    layer = RNN([LSTMCell(4), GRUCell(3), SimpleRNNCell(2)], return_sequences=True, return_state=True)
    found, *states = layer(X)
    assert isinstance(layer.cell, StackedRNNCells)
    w = [v.numpy() for v in layer.weights]
    a = run(lstm_step, X, 2, w[:3])[0]
    b = run(gru_step, a, 1, w[3:6])[0]
    c = run(simple_step, b, 1, w[6:])[0]
    np.testing.assert_allclose(as_array(found), c, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(as_array(states[1][0]), b[:, -1], rtol=1e-4, atol=1e-5)
    check_layer(lambda **k: RNN([LSTMCell(4), GRUCell(3)], **k), X, low_precision=False)


class Sum(Layer):
    """A cell of somebody's own: the sum so far of all inputs."""

    state_size = 3

    def call(self, inputs, states):
        total = states[0] + inputs
        return total, [total]


def test_a_cell_of_ones_own():
    np.testing.assert_allclose(as_array(RNN(Sum(), return_sequences=True)(X)), np.cumsum(X, axis=1), atol=1e-5)
    backwards = RNN(Sum(), go_backwards=True, return_sequences=True)(X)
    np.testing.assert_allclose(as_array(backwards), np.cumsum(X[:, ::-1], axis=1), atol=1e-5)


def test_the_mask_goes_on_with_sequences_only():
    layer = GRU(3, return_sequences=True, return_state=True)
    assert layer.compute_mask(None, MASK)[0] is MASK
    assert layer.compute_mask(None, MASK)[1:] == [None]
    assert GRU(3).compute_mask(None, MASK) is None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LSTM(0), "units must be a positive integer"),
        (lambda: RNN(object()), "A cell must have call"),
        (lambda: LSTM(2)(np.zeros((2, 3), "float32")), "ndim|dimension|axes"),
        (lambda: LSTM(2, dropout=1.5), "rate must be"),
        (lambda: GRU(2)(KerasTensor((None, 3, None))), "number of features"),
    ],
)
def test_wrong_arguments(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_trace_leaves_no_mask_behind():
    layer = LSTM(4, recurrent_dropout=0.2)
    layer(X)

    def call(x):
        with kops.StatelessScope():
            return layer(x, training=True)

    (engine().jit(call) if engine().NAME in ("jax", "tensorflow") else call)(kops.convert_to_tensor(X))
    assert not layer.cell._dropout_masks
