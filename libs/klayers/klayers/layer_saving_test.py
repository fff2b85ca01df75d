"""Layers and files: what is made while a model is loaded, and whose memory the values are in."""

from __future__ import annotations

import numpy as np
import pytest

import ksave
from klayers.layer import Layer
from klayers.layers.dense import Dense
from klayers.model import Model
from kspec import resolve


class Partial(Layer):
    """Keeps one of its two weights in files."""

    def build(self, input_shape):
        self.kept = self.add_weight(shape=(3,), initializer="zeros", name="kept")
        self.other = self.add_weight(
            shape=(3,), initializer=lambda shape, dtype: np.full(shape, 5, dtype), name="other"
        )

    def call(self, x):
        return x + self.kept + self.other

    def save_own_variables(self, store):
        store["0"] = self.kept

    def load_own_variables(self, store):
        self.kept.assign(store["0"])


@pytest.fixture
def path(tmp_path):
    Input, Sequential = resolve("keras.Input"), resolve("keras.Sequential")
    model = Sequential([Input((3,)), Dense(3, bias_initializer="ones"), Partial()])
    model.layers[1].kept.assign([1.0, 2.0, 3.0])
    model.layers[1].other.assign([0.0, 0.0, 0.0])
    model.save(tmp_path / "m.keras")
    return model, tmp_path / "m.keras"


def test_weights_that_are_not_in_the_file_get_their_first_value(path):
    loaded = ksave.load_model(path[1], custom_objects={"Partial": Partial})
    layer = loaded.layers[1]
    assert layer.kept.numpy().tolist() == [1, 2, 3] and layer.other.numpy().tolist() == [5, 5, 5]
    assert all(v.native is not None for v in loaded.variables)


def test_loading_makes_no_first_values(path, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a first value was made for nothing")

    monkeypatch.setattr(resolve("keras.initializers.GlorotUniform"), "__call__", refuse)
    loaded = ksave.load_model(path[1], custom_objects={"Partial": Partial})
    assert isinstance(loaded, Model)
    for one, two in zip(path[0].layers[0].weights, loaded.layers[0].weights):
        np.testing.assert_array_equal(one.numpy(), two.numpy())


def test_arrays_of_the_caller_stay_the_callers():
    layer = Dense(4, use_bias=False)
    layer.build((None, 4))
    mine = np.ones((4, 4), "float32")
    layer.load_own_variables({"0": mine})
    mine[:] = 7
    assert layer.kernel.numpy().max() == 1


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_file_is_read_into_the_memory_of_variables(dtype, tmp_path, monkeypatch):
    path = str(tmp_path / "m.weights.h5")
    inputs = resolve("keras.Input")((6,))
    layer = Dense(4, dtype=dtype)
    model = Model(inputs, layer(inputs))
    layer.bias.assign(np.arange(4))
    expected = np.array(layer.kernel.numpy(), "float32")
    model.save_weights(path)
    for variable in layer.weights:
        variable.assign(np.zeros(variable.shape))
    memory, read = layer.kernel.memory(), []
    real = ksave.stores.ReadStore.__getitem__
    monkeypatch.setattr(ksave.stores.ReadStore, "__getitem__", lambda self, key: read.append(key) or real(self, key))
    model.load_weights(path)
    np.testing.assert_array_equal(layer.kernel.numpy().astype("float32"), expected)
    np.testing.assert_array_equal(layer.bias.numpy().astype("float32"), np.arange(4))
    if memory is None or dtype == "bfloat16":  # HDF5 has no such numbers
        assert read == ["0", "1"]
    else:
        assert not read
        np.testing.assert_array_equal(memory, expected)
