from __future__ import annotations

import json

import pytest

from ksave import CorruptFileError, UnsafeFileError, renaming, topology
from ksave.contents import Array, Contents
from ksave.limits import Limits


def _tensor(name):
    return {"class_name": "__keras_tensor__", "config": {"shape": [None, 2], "keras_history": [name, 0, 0]}}


def _layer(name, *inputs, class_name="Dense", **config):
    return {
        "module": "keras.layers",
        "class_name": class_name,
        "config": {"name": name, **config},
        "name": name,
        "inbound_nodes": [{"args": [_tensor(source) for source in inputs], "kwargs": {"mask": _tensor("a")}}],
    }


def _functional(name, layers, inputs, outputs):
    config = {"layers": layers, "input_layers": inputs, "output_layers": outputs}
    return {**_layer(name, class_name="Functional", **config), "module": "keras.src.models.functional"}


@pytest.fixture
def contents():
    inner = _functional("inner", [_layer("a"), _layer("b", "a")], [["a", 0, 0]], [["b", 0, 0]])
    layers = [_layer("a", class_name="InputLayer"), _layer("b", "a"), {**inner}, _layer("c", "b", "inner")]
    model = _functional("model", layers, {"x": ["a", 0, 0]}, [["b", 0, 0], ["c", 0, 0]])
    model["compile_config"] = {"loss": {"b": "mse", "c": "mae"}, "metrics": ["mae"], "optimizer": "sgd"}
    array = Array((2,), "float32", 8, lambda: None)
    names = {"layers/dense": "b", "layers/functional/layers/dense_1": "b", "layers/dense_1": "c"}
    arrays = {f"{path}/vars/0": array for path in names}
    return Contents("m.keras", "model", config=model, names=names, arrays=arrays)


def test_all_places_of_a_name(contents):
    renaming.rename_layer(contents, "inner/b", "deep")
    renaming.rename_layer(contents, "b", "left")
    text = json.dumps(contents.config)
    assert '"b"' not in text
    config = contents.config["config"]
    assert config["output_layers"] == [["left", 0, 0], ["c", 0, 0]] and config["input_layers"] == {"x": ["a", 0, 0]}
    histories = [tensor["config"]["keras_history"][0] for tensor in config["layers"][3]["inbound_nodes"][0]["args"]]
    assert histories == ["left", "inner"]
    assert contents.config["compile_config"]["loss"] == {"left": "mse", "c": "mae"}
    inner = config["layers"][2]["config"]
    assert inner["output_layers"] == [["deep", 0, 0]] and inner["layers"][1]["name"] == "deep"
    assert contents.names == {"layers/dense": "left", "layers/functional/layers/dense_1": "deep", "layers/dense_1": "c"}


def test_names_of_other_models_stay(contents):
    renaming.rename_layer(contents, "inner/a", "entry")
    config = contents.config["config"]
    assert config["layers"][1]["inbound_nodes"][0]["args"] == [_tensor("a")]
    assert config["layers"][2]["config"]["layers"][1]["inbound_nodes"][0]["kwargs"] == {"mask": _tensor("entry")}


def test_names_that_do_not_do(contents):
    for name, new, words in (
        ("z", "y", "no layer 'z'"),
        ("inner/b", "a", "'a' beside 'b' already"),
        ("b", "", "cannot be a name"),
        ("b", "x/y", "cannot be a name"),
    ):
        with pytest.raises(ValueError, match=words):
            renaming.rename_layer(contents, name, new)
    contents.config["config"]["layers"][1]["config"]["name"] = "other"
    contents.config["config"]["layers"].append(_functional("inner2", [_layer("b")], [["b", 0, 0]], [["b", 0, 0]]))
    with pytest.raises(ValueError, match="could be inner/b or inner2/b"):
        renaming.rename_layer(contents, "b", "x")


def test_weights_move_with_all_below_them(contents):
    renaming.rename_weights(contents, "layers/functional", "encoder")
    assert list(contents.arrays)[1] == "layers/encoder/layers/dense_1/vars/0"
    renaming.rename_weights(contents, "layers/encoder", "other/place")
    assert contents.names["other/place/layers/dense_1"] == "b"
    with pytest.raises(ValueError, match="no weights at 'layers/encoder'"):
        renaming.rename_weights(contents, "layers/encoder", "x")
    with pytest.raises(ValueError, match="weights at 'layers/dense_1' already"):
        renaming.rename_weights(contents, "layers/dense", "dense_1")


def test_the_places_of_layers(contents):
    places = [(depth, layer.name, layer.path) for depth, layer in topology.read(contents.config).walk()]
    assert places == [
        (0, "model", ""),
        (1, "a", "layers/input_layer"),
        (1, "b", "layers/dense"),
        (1, "inner", "layers/functional"),
        (2, "a", "layers/functional/layers/dense"),
        (2, "b", "layers/functional/layers/dense_1"),
        (1, "c", "layers/dense_1"),
    ]


def test_shared_layers_have_one_place():
    shared = {**_layer("s"), "shared_object_id": 7}
    inner = {"module": "keras", "class_name": "Sequential", "config": {"name": "q", "layers": [shared]}}
    model = {"module": "keras", "class_name": "Sequential", "config": {"name": "m", "layers": [inner, shared]}}
    paths = [layer.path for _, layer in topology.read(model).walk() if layer.name == "s"]
    assert paths == ["layers/sequential/layers/dense"] * 2


def test_configs_that_are_no_models_or_too_large(monkeypatch):
    with pytest.raises(CorruptFileError, match="layers/none has no record of a layer"):
        topology.read({"class_name": "Sequential", "config": {"layers": [3]}})
    bomb = _layer("d")
    for index in range(60):  # each direction holds the layer again: 2 ** 60 of them
        bomb = _layer(f"b{index}", class_name="Bidirectional", layer=bomb)
    monkeypatch.setattr(topology, "DEFAULT", Limits(members=2000))  # the way to 100000 takes seconds
    with pytest.raises(UnsafeFileError, match="more than 2000 layers"):
        topology.read(bomb)
