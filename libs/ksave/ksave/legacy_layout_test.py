from __future__ import annotations

import os

import numpy as np
import pytest

from ksave import legacy_config, legacy_layout
from ksave.contents import open_contents
from ksave.rewrite import write

DATA = os.path.join(os.path.dirname(__file__), "testdata")


def _layer(name, class_name, module="keras.layers", **config):
    return {"module": module, "class_name": class_name, "config": {"name": name, **config}}


def _model(*layers, name="model", **config):
    return _layer(name, "Sequential", "keras", layers=list(layers), **config)


def _nodes(**shapes):
    """Nodes with arrays that know their own place; "__" stands for "/"."""
    return {
        path.replace("__", "/"): {str(index): f"{path}:{index}" for index in range(count)}
        for path, count in shapes.items()
    }


def test_trainable_weights_come_first_and_frozen_ones_last():
    # The order that Keras 3.15.1 gives `layer.trainable_weights + layer.non_trainable_weights` of such a model.
    inner = _model(
        _layer("d1", "Dense"),
        _layer("bn", "BatchNormalization"),
        _layer("d2", "Dense", trainable=False),
        _layer("d3", "Dense", use_bias=False),
        name="inner",
    )
    nodes = _nodes(
        layers__sequential__layers__dense=2,
        layers__sequential__layers__batch_normalization=4,
        layers__sequential__layers__dense_1=2,
        layers__sequential__layers__dense_2=1,
    )
    layers, left = legacy_layout.from_store(_model(inner), nodes)
    assert left == []
    assert list(layers["inner"]) == [
        "inner/d1/kernel",
        "inner/d1/bias",
        "inner/bn/gamma",
        "inner/bn/beta",
        "inner/d3/kernel",
        "inner/bn/moving_mean",
        "inner/bn/moving_variance",
        "inner/d2/kernel",
        "inner/d2/bias",
    ]
    arrays, names = legacy_layout.to_store(_model(inner), layers)
    assert {name.replace("/", "__").replace("__vars__", ":"): value for name, value in arrays.items()} == {
        value: value for node in nodes.values() for value in node.values()
    }
    assert names["layers/sequential/layers/dense_1"] == "d2"


def test_a_frozen_model_keeps_the_order_of_its_layers():
    inner = _model(_layer("bn", "BatchNormalization"), _layer("d", "Dense"), name="inner", trainable=False)
    nodes = _nodes(layers__sequential__layers__batch_normalization=4, layers__sequential__layers__dense=2)
    layers, _ = legacy_layout.from_store(_model(inner), nodes)
    names = [name.rpartition("/")[2] for name in layers["inner"]]
    assert names == ["gamma", "beta", "moving_mean", "moving_variance", "kernel", "bias"]


def test_layers_in_layers_have_the_names_of_keras():
    model = _model(
        _layer("b", "Bidirectional", layer=_layer("lstm", "LSTM")),
        _layer("m", "MultiHeadAttention"),
        _layer("r", "RNN", cell=_layer("s", "StackedRNNCells", cells=[_layer("g", "GRUCell")])),
    )
    nodes = _nodes(
        layers__bidirectional__backward_layer__cell=3,
        layers__bidirectional__forward_layer__cell=3,
        layers__multi_head_attention__key_dense=2,
        layers__multi_head_attention__output_dense=2,
        layers__multi_head_attention__query_dense=2,
        layers__multi_head_attention__value_dense=2,
        layers__rnn__cell__cells__gru_cell=3,
    )
    layers, left = legacy_layout.from_store(model, nodes)
    assert left == []
    assert list(layers["b"])[2:4] == ["b/forward_lstm/lstm_cell/bias", "b/backward_lstm/lstm_cell/kernel"]
    assert [name.split("/")[1] for name in layers["m"]][::2] == ["query", "key", "value", "attention_output"]
    assert list(layers["r"])[0] == "r/s/g/kernel"
    assert len(legacy_layout.to_store(model, layers)[0]) == 6 + 8 + 3


def test_custom_layers_go_by_number_and_are_refused_where_that_is_not_enough():
    custom = _layer("c", "Mine", None)
    layers, _ = legacy_layout.from_store(_model(custom), _nodes(layers__mine=3))
    assert list(layers["c"]) == ["c/variable", "c/variable_1", "c/variable_2"]
    assert list(legacy_layout.to_store(_model(custom), layers)[0]) == [f"layers/mine/vars/{i}" for i in range(3)]
    nested = _model(_layer("d", "Dense"), custom, name="inner")
    nodes = _nodes(layers__sequential__layers__dense=2, layers__sequential__layers__mine=1)
    with pytest.raises(legacy_layout.UnknownOrderError, match="'inner'.*load_model"):
        legacy_layout.from_store(_model(nested), nodes)


def test_weights_that_do_not_fit_the_config():
    model = _model(_layer("d", "Dense"))
    with pytest.raises(ValueError, match=r"'d' \(Dense\) has 2 variables by its config, the file holds 1: d/k"):
        legacy_layout.to_store(model, {"d": {"d/k": 0}})
    with pytest.raises(ValueError, match="does not list: e"):
        legacy_layout.to_store(model, {"d": {"k": 0, "b": 1}, "e": {"k": 0}})
    with pytest.raises(ValueError, match="the file holds 0: none"):
        legacy_layout.to_store(model, {"d": {}})


def test_modules_are_found_by_class_and_place():
    old = {
        "class_name": "Sequential",
        "config": {
            "name": "s",
            "layers": [
                {
                    "class_name": "Dense",
                    "config": {
                        "name": "d",
                        "kernel_initializer": {"class_name": "Identity", "config": {}},
                        "kernel_constraint": {"class_name": "UnitNorm", "config": {}},
                    },
                },
                {"class_name": "Identity", "config": {"name": "i"}},
                {"class_name": "mine>Thing", "config": {"name": "t"}},
            ],
        },
    }
    training = {
        "loss": {"class_name": "Huber", "config": {}},
        "metrics": [{"class_name": "CosineSimilarity", "config": {}}],
        "optimizer_config": {"class_name": "Adam", "config": {"name": "adam"}},
    }
    model = legacy_layout.modern_config(old, training)
    dense, identity, custom = model["config"]["layers"]
    assert (model["module"], dense["module"], identity["module"]) == ("keras", "keras.layers", "keras.layers")
    assert dense["config"]["kernel_initializer"]["module"] == "keras.initializers"
    assert dense["config"]["kernel_constraint"]["module"] == "keras.constraints"
    assert (custom["module"], custom["class_name"], custom["registered_name"]) == (None, "Thing", "mine>Thing")
    settings = model["compile_config"]
    assert settings["loss"]["module"] == "keras.losses"
    assert settings["metrics"][0]["module"] == "keras.metrics"
    assert settings["optimizer"]["module"] == "keras.optimizers"
    assert old["class_name"] == "Sequential" and "module" not in old


def test_a_file_of_keras_there_and_back(tmp_path):
    source = os.path.join(DATA, "h5_compiled_adam.h5")
    with open_contents(source) as first:
        write(first, str(tmp_path / "m.keras"))
        assert first.arrays["optimizer/vars/2"].shape == (6, 8)
        with open_contents(str(tmp_path / "m.keras")) as second:
            write(second, str(tmp_path / "again.h5"))
        with open_contents(str(tmp_path / "again.h5")) as third:
            assert list(third.arrays) == list(first.arrays)
            assert third.config == first.config
            for name, array in first.arrays.items():
                np.testing.assert_array_equal(array.read(), third.arrays[name].read())


def test_short_names_of_losses():
    assert legacy_config.full_loss_names({"a": "MSE", "b": ["mae", None]}) == {
        "a": "mean_squared_error",
        "b": ["mean_absolute_error", None],
    }
