from __future__ import annotations

import json
import os

import h5py
import ml_dtypes
import numpy as np
import pytest

import ksave
from ksave.legacy_config import legacy_record, training_config
from ksave.registry import register_keras_serializable
from ksave.tests.fake_layers import Base, Variable


@register_keras_serializable("legacy")
class Layer(Base):
    """Trainable and fixed variables, of which none can be told by its name alone."""

    trainable_weights = non_trainable_weights = None

    def __init__(self, name, trainable=(), fixed=()):
        super().__init__(name)
        self.trainable_weights = [_variable(f"{name}/{key}", value) for key, value in trainable]
        self.non_trainable_weights = [_variable(f"{name}/{key}", value) for key, value in fixed]

    variables = property(lambda self: self.trainable_weights + self.non_trainable_weights)


@register_keras_serializable("legacy")
class Stack(Layer):
    """A model with layers, weights of its own, and an optimizer."""

    optimizer = None

    def __init__(self, layers, own=(), name="stack"):
        super().__init__(name)
        self.layers = layers
        self._top = [_variable(f"{name}/{key}", value) for key, value in own]

    @property
    def trainable_weights(self):
        return [v for layer in self.layers for v in layer.trainable_weights] + self._top

    @trainable_weights.setter
    def trainable_weights(self, value):
        pass

    @property
    def non_trainable_weights(self):
        return [v for layer in self.layers for v in layer.non_trainable_weights]

    @non_trainable_weights.setter
    def non_trainable_weights(self, value):
        pass

    def get_config(self):
        return {"name": self.name}

    def get_compile_config(self):
        optimizer = {"module": "keras.optimizers", "class_name": "SGD", "config": {"momentum": 0.9}}
        return {"optimizer": {**optimizer, "registered_name": None}, "loss": "mse", "jit_compile": True}


def _variable(path, value):
    variable = Variable(value, path.rpartition("/")[2])
    variable.path = path
    return variable


def stack(scale=1.0):
    kernel = scale * np.arange(6, dtype="float32").reshape(2, 3)
    norm = Layer("norm", [("gamma", np.ones(3) * scale)], [("mean", np.full(3, 2.0) * scale)])
    half = Layer("half", [("w", np.asarray([1.5, -2.0], ml_dtypes.bfloat16))])
    layers = [Layer("input"), Layer("dense", [("kernel", kernel), ("bias", np.zeros(3))]), norm, half]
    model = Stack(layers, [("top", np.asarray(4.0) * scale)])
    model.optimizer = Layer("sgd", [("iteration", np.int64(3)), ("dense_kernel_momentum", kernel * 2)])
    return model


def test_layout_is_that_of_keras(tmp_path):
    path = tmp_path / "m.h5"
    ksave.save_model(stack(), path)
    assert os.listdir(tmp_path) == ["m.h5"]
    with h5py.File(path) as file:
        config = json.loads(file.attrs["model_config"])
        assert config == {"class_name": "legacy>Stack", "config": {"name": "stack"}}
        training = json.loads(file.attrs["training_config"])
        assert training["optimizer_config"] == {"class_name": "SGD", "config": {"momentum": 0.9}}
        assert set(training) == {
            "loss", "loss_weights", "metrics", "weighted_metrics", "run_eagerly", "steps_per_execution",
            "jit_compile", "optimizer_config",
        }  # fmt: skip
        weights = file["model_weights"]
        assert list(weights.attrs["layer_names"]) == ["input", "dense", "norm", "half"]
        assert list(weights["norm"].attrs["weight_names"]) == ["norm/gamma", "norm/mean"]
        assert list(weights["input"].attrs["weight_names"]) == []
        assert weights["dense/dense/kernel"][()].tolist() == [[0, 1, 2], [3, 4, 5]]
        # HDF5 has no bfloat16, and readers of this layout expect none: float32 holds the same numbers.
        assert weights["half/half/w"].dtype == "float32" and weights["half/half/w"][()].tolist() == [1.5, -2]
        assert weights["top_level_model_weights/stack/top"][()] == 4
        assert list(file["optimizer_weights"].attrs["weight_names"]) == ["sgd/iteration", "sgd/dense_kernel_momentum"]
        assert file["optimizer_weights/sgd/iteration"][()] == 3
        assert {"backend", "keras_version"} <= set(file.attrs) & set(weights.attrs)


@pytest.mark.parametrize("whole", [True, False])
def test_weights_round_trip(tmp_path, whole):
    path = str(tmp_path / "m.h5")
    (ksave.save_model if whole else ksave.save_weights)(stack(), path)
    model = stack(0.0)
    ksave.load_weights(model, path)
    for one, other in zip(model.variables, stack().variables):
        np.testing.assert_array_equal(one.value, other.value.astype("float64"))


def test_keras_2_gave_the_layout_to_weights_h5_files(tmp_path):
    ksave.save_weights(stack(), tmp_path / "m.h5")
    path = tmp_path / "m.weights.h5"
    os.rename(tmp_path / "m.h5", path)
    model = stack(0.0)
    ksave.load_weights(model, path)
    assert model.layers[1].variables[0].value[1, 2] == 5


def test_many_and_long_names_are_spread_over_attributes(tmp_path):
    path = tmp_path / "m.h5"
    for names in ([f"{'a' * 200}_{index}" for index in range(350)], [f"é{index}" for index in range(4500)]):
        ksave.save_weights(Stack([Layer(name) for name in names]), path)
        with h5py.File(path) as file:
            parts = [key for key in file.attrs if key.startswith("layer_names")]
            found = [name.decode() for key in sorted(parts, key=len) for name in file.attrs[key]]
            assert "layer_names" not in parts and len(parts) > 1
            assert sorted(found) == sorted(names)
            assert max(file.attrs.get_id(key).get_storage_size() for key in parts) <= 64512


def test_names_that_collide(tmp_path):
    path = tmp_path / "m.h5"
    layer = Layer("l", [("w", np.ones(1)), ("w", np.ones(2)), ("w/inner", np.ones(3))])
    ksave.save_weights(Stack([layer]), path)
    empty = Layer("l", [("w", np.zeros(1)), ("w", np.zeros(2)), ("w/inner", np.zeros(3))])
    ksave.load_weights(Stack([empty]), path)
    assert [variable.value.sum() for variable in empty.variables] == [1, 2, 3]
    with pytest.raises(ValueError, match="two layers named 'l'"):
        ksave.save_weights(Stack([layer, empty]), path)


def test_a_failed_save_keeps_the_old_file(tmp_path):
    path = tmp_path / "m.h5"
    ksave.save_model(stack(), path)
    before = path.read_bytes()
    model = stack()
    model.layers[2].trainable_weights[0].value = np.asarray([object()])
    with pytest.raises(TypeError, match="not an array of numbers"):
        ksave.save_model(model, path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["m.h5"]
    with pytest.raises(FileExistsError):
        ksave.save_model(stack(), path, overwrite=False)


def test_what_the_layout_cannot_hold(tmp_path):
    with pytest.raises(TypeError, match="has no layers"):
        ksave.save_weights(Base("b"), tmp_path / "m.h5")
    with pytest.raises(ValueError, match="cannot be a zip"):
        ksave.save_model(stack(), tmp_path / "m.h5", zipped=True)


def _record(class_name, config, module="keras.layers", registered=None, **more):
    return {"module": module, "class_name": class_name, "config": config, "registered_name": registered, **more}


def test_records_of_layers_lose_their_modules_and_others_keep_them():
    zeros = _record("Zeros", {}, "keras.initializers")
    dense = _record("Dense", {"bias_initializer": zeros}, build_config={"input_shape": [None, 2]})
    inner = _record("Sequential", {"layers": [dense]}, "keras", build_config={})
    wrapped = _record("Bidirectional", {"layer": dense})
    op = _record("Exp", {"name": "exp"}, "keras.src.ops.numpy", "Exp", name="exp", inbound_nodes=[1])
    own = _record("Scale", {}, "shop", "shop>Scale")
    attention = _record("GroupQueryAttention", {})
    layers = [{**inner, "name": "s", "inbound_nodes": []}, wrapped, op, own, attention]
    model = _record("Functional", {"layers": layers, "input_layers": []}, "keras.src.models", "Functional")
    plain = {"class_name": "Dense", "config": {"bias_initializer": zeros}}
    assert legacy_record(model) == {
        "class_name": "Functional",
        "config": {
            "input_layers": [],
            "layers": [
                {"class_name": "Sequential", "config": {"layers": [plain]}, "name": "s", "inbound_nodes": []},
                {"class_name": "Bidirectional", "config": {"layer": dense}},
                op,
                {"class_name": "shop>Scale", "config": {}},
                {"class_name": "GroupedQueryAttention", "config": {}},
            ],
        },
    }


def test_training_settings():
    function = _record("function", "mean_squared_error", "builtins", "function")
    mae = _record("MeanAbsoluteError", {"name": "mae"}, "keras.metrics")
    found = training_config(
        {"optimizer": _record("Adam", {}), "loss": {"a": [function, None]}, "metrics": [["acc", mae]], "new": 1}
    )
    assert found["loss"] == {"a": ["mean_squared_error", None]}
    assert found["metrics"] == [["acc", {"class_name": "MeanAbsoluteError", "config": {"name": "mae"}}]]
    assert found["optimizer_config"] == {"class_name": "Adam", "config": {}}
    assert "new" not in found and "optimizer" not in found and found["loss_weights"] is None
