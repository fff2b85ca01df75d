from __future__ import annotations

import json
import os

import h5py
import numpy as np
import pytest

import ksave
from ksave.tests.fake_layers import Base, Variable

DATA = os.path.join(os.path.dirname(__file__), "testdata")


class Layer(Base):
    """A layer with the two lists of weights that the format orders by."""

    trainable_weights = non_trainable_weights = None

    def __init__(self, name, shapes=(), fixed=()):
        super().__init__(name)
        self.trainable_weights = [Variable(np.zeros(shape, "float32"), "w") for shape in shapes]
        self.non_trainable_weights = [Variable(np.zeros(shape, "float32"), "w") for shape in fixed]


class Model(Base):
    optimizer = None
    trainable_weights: tuple = ()
    non_trainable_weights: tuple = ()

    def __init__(self, layers):
        super().__init__("model")
        self.layers = layers

    def compile_from_config(self, config):
        self.settings = config
        self.optimizer = Layer("adam")
        shapes = [(), (), (6, 8), (6, 8), (8,), (8,), (8, 1), (8, 1), (1,), (1,)]
        self.optimizer.variables = [Variable(np.zeros(shape, "float32"), "o") for shape in shapes]


class Functional:
    """Makes the layers that a config lists, by name."""

    @classmethod
    def from_config(cls, config):
        names = [layer["config"]["name"] for layer in config["layers"]]
        shapes = {"dense": [(6, 8), (8,)], "dense_1": [(8, 1), (1,)]}
        return Model([Layer(name, shapes.get(name, ())) for name in names])


@pytest.fixture
def path():
    return os.path.join(DATA, "h5_compiled_adam.h5")


def test_a_whole_model_of_keras(path):
    model = ksave.load_model(path, custom_objects={"Functional": Functional})
    with h5py.File(path) as file:
        kernel = file["model_weights/dense_1/dense_1/kernel"][()]
        momentum = file["optimizer_weights/adam_1/dense_kernel_momentum"][()]
    np.testing.assert_array_equal(model.layers[2].trainable_weights[0].value, kernel)
    np.testing.assert_array_equal(model.optimizer.variables[2].value, momentum)
    assert model.settings["loss"]["class_name"] == "MeanSquaredError"
    assert model.settings["optimizer"]["config"]["beta_1"] == 0.9
    plain = ksave.load_model(path, custom_objects={"Functional": Functional}, compile=False)
    assert plain.optimizer is None


def _write(path, layers, long=False):
    """A weights file in the layout of Keras 2."""
    with h5py.File(path, "w") as file:
        names = [name for name, _ in layers]
        if long:
            file.attrs["layer_names0"], file.attrs["layer_names1"] = names[:1], names[1:]
        else:
            file.attrs["layer_names"] = np.array([name.encode() for name in names])
        for name, weights in layers:
            group = file.create_group(name)
            group.attrs["weight_names"] = [f"{name}/w{index}:0" for index in range(len(weights))]
            for index, value in enumerate(weights):
                group[f"{name}/w{index}:0"] = value


@pytest.mark.parametrize("long", [False, True])
def test_weights_trainable_first(tmp_path, long):
    path = tmp_path / "w.h5"
    _write(path, [("bn", [np.full(2, 1.0), np.full(2, 2.0)]), ("empty", []), ("d", [np.ones(3)])], long)
    model = Model([Layer("bn", [(2,)], [(2,)]), Layer("none"), Layer("other", [(3,)])])
    ksave.load_weights(model, path)
    assert model.layers[0].trainable_weights[0].value.tolist() == [1, 1]
    assert model.layers[0].non_trainable_weights[0].value.tolist() == [2, 2]
    assert model.layers[2].trainable_weights[0].value.tolist() == [1, 1, 1]


def test_by_name_and_mismatch(tmp_path):
    path = tmp_path / "w.h5"
    _write(path, [("a", [np.ones(2)]), ("b", [np.ones(3)])])
    model = Model([Layer("b", [(3,)]), Layer("c", [(2,)]), Layer("a", [(4,)])])
    with pytest.raises(ValueError, match="(?s)2 layers, the model has 3.*not in the file: c"):
        ksave.load_weights(model, path)
    with pytest.raises(ValueError, match=r"a: a/w0:0  \(4,\)   \(2,\)  another shape"):
        ksave.load_weights(model, path, by_name=True)
    with pytest.warns(UserWarning, match="Skipped"):
        ksave.load_weights(model, path, by_name=True, skip_mismatch=True)
    assert model.layers[0].trainable_weights[0].value.tolist() == [1, 1, 1]
    model.layers[0].trainable_weights[0].value[:] = 0
    with pytest.warns(UserWarning, match="(?s)not in the file: c.*matched by name"):
        ksave.load_weights(model, path, skip_mismatch=True)
    assert model.layers[0].trainable_weights[0].value.tolist() == [1, 1, 1]


def test_what_is_not_there_is_said(tmp_path):
    path = tmp_path / "w.h5"
    with h5py.File(path, "w") as file:
        file["x"] = 1
    with pytest.raises(ksave.CorruptFileError, match="no 'model_config'"):
        ksave.load_model(path)
    with pytest.raises(ksave.CorruptFileError, match="no 'layer_names'"):
        ksave.load_weights(Model([]), path)
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps({"class_name": "Functional", "config": {"layers": []}})
    with pytest.raises(ksave.CorruptFileError, match="no 'model_weights'"):
        ksave.load_model(path, custom_objects={"Functional": Functional})
