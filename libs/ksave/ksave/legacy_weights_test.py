from __future__ import annotations

import numpy as np

from ksave.legacy_weights import in_todays_form


class _Layer:
    data_format = "channels_last"


def _layer(name, **attributes):
    return type(name, (_Layer,), attributes)()


def _names(count, keras_1=False):
    return [f"x_{i}_W" if keras_1 else f"x/{i}:0" for i in range(count)]


def test_gates_of_keras_1_are_put_together():
    # In the file: i, c, f, o, each with W, U, b; today: i, f, c, o.
    arrays = [np.full((2, 3), 10 * gate + part) for gate in range(4) for part in range(3)]
    kernel, recurrent, bias = in_todays_form(_layer("LSTM"), arrays, _names(12, True), None)
    assert kernel[0].reshape(4, 3)[:, 0].tolist() == [0, 20, 10, 30]
    assert recurrent[0].reshape(4, 3)[:, 0].tolist() == [1, 21, 11, 31]
    assert bias[0].reshape(4, 3)[:, 0].tolist() == [2, 22, 12, 32]
    gru = in_todays_form(_layer("GRU"), arrays[:9], _names(9, True), None)
    assert gru[0][0].reshape(3, 3)[:, 0].tolist() == [0, 10, 20]


def test_layers_for_cudnn():
    units, inputs = 2, 3
    rng = np.random.default_rng(0)
    gates = [rng.normal(size=(inputs, units)) for _ in range(4)]
    recurrent = [rng.normal(size=(units, units)) for _ in range(4)]
    bias = np.arange(16.0)
    # Stored gate by gate: the numbers of the transposed matrix in the shape of the matrix.
    stored = [np.hstack([g.T.reshape(g.shape) for g in gates]), np.hstack([r.T for r in recurrent]), bias]
    found = in_todays_form(_layer("LSTM"), stored, _names(3), "tensorflow")
    np.testing.assert_array_equal(found[0], np.hstack(gates))
    np.testing.assert_array_equal(found[1], np.hstack(recurrent))
    np.testing.assert_array_equal(found[2], bias[:8] + bias[8:])


def test_kernels_of_theano_are_turned_around():
    kernel, bias = np.arange(2 * 3 * 1 * 1.0).reshape(2, 3, 1, 1), np.zeros(1)
    found = in_todays_form(_layer("Conv2D"), [kernel, bias], _names(2), "theano")
    assert found[0].ravel().tolist() == [5, 4, 3, 2, 1, 0] and found[1] is bias
    same = in_todays_form(_layer("Conv2D"), [kernel, bias], _names(2), "tensorflow")
    assert same[0] is kernel


def test_filters_first_in_keras_1():
    kernel = np.arange(4 * 3 * 2 * 2.0).reshape(4, 3, 2, 2)
    first = _layer("Conv2D", data_format="channels_first")
    found = in_todays_form(first, [kernel], _names(1, True), None)[0]
    assert found.shape == (2, 2, 3, 4) and found[0, 1, 2, 3] == kernel[3, 2, 1, 0]
    assert in_todays_form(_layer("Conv1D"), [np.zeros((3, 1, 2, 4))], _names(1, True), None)[0].shape == (3, 2, 4)


def test_both_directions():
    inner = _layer("GRU")
    both = _layer("Bidirectional", forward_layer=inner, backward_layer=inner)
    arrays = [np.full((1, 2), i) for i in range(18)]
    found = in_todays_form(both, arrays, _names(18, True), None)
    assert [a[0, ::2].tolist() for a in found[::3]] == [[0, 3, 6], [9, 12, 15]]
