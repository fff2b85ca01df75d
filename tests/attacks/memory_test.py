"""Configs that ask for more memory than there is: refused before it is taken."""

from __future__ import annotations

import copy
import importlib.util
import json
import sys
import zipfile
from pathlib import Path

import pytest

import keras
import ksave
from ksave.attacks.canaries import bounded
from ksave.deserialize import Loader

HERE = Path(__file__).parent
RECORDS = json.loads((HERE.parent.parent / "spec" / "serialization.json").read_text(encoding="utf-8"))["classes"]
_spec = importlib.util.spec_from_file_location("hostile_files", HERE / "hostile_files.py")
hostile = importlib.util.module_from_spec(_spec)
sys.modules["hostile_files"] = hostile
_spec.loader.exec_module(hostile)

HUGE = (10**9, 10**13)


def numbers(value, path=()):
    """Where whole numbers stand in a config."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield path
    elif isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(inner, (*path, key))


def with_number(config, path, number):
    config = copy.deepcopy(config)
    inner = config
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = number
    return config


def refused_or_small(make, what):
    """Either it is refused, or it does not need the memory."""
    with bounded(megabytes=320, seconds=20):
        try:
            make()
        except (ValueError, TypeError) as error:
            links = []
            while error is not None:
                links.append(error)
                error = error.__cause__ or error.__context__
            assert not any(isinstance(link, MemoryError) for link in links), what
        except MemoryError:
            pytest.fail(f"{what} takes the memory it asks for")


@pytest.mark.parametrize("name", RECORDS)
def test_every_number_of_every_class(name):
    for case, recorded in RECORDS[name].items():
        config = recorded.get("serialized") if isinstance(recorded, dict) else None
        if not isinstance(config, dict):
            continue
        for path in numbers(config):
            for number in HUGE:
                loader = Loader()
                loader.budget = {"left": loader.limits.variable_bytes(1000)}
                hostile_config = with_number(config, path, number)
                refused_or_small(
                    lambda loader=loader, config=hostile_config: loader.deserialize(config),
                    f"{name} ({case}) with {path} = {number}",
                )


def number_attacks(path, tmp_path):
    """Every number of the config of a real file set to huge ones, loaded one after the other."""
    with zipfile.ZipFile(path) as file:
        config = json.loads(file.read("config.json"))
    for place in numbers(config):
        if place[-1] in ("shared_object_id", "node_index", "tensor_index"):
            continue
        for number in HUGE:
            evil = hostile.changed_copy(
                path, tmp_path / "evil.keras", lambda _, place=place, number=number: with_number(config, place, number)
            )
            refused_or_small(lambda evil=evil: keras.models.load_model(evil), f"{path.name} with {place} = {number}")


def test_every_number_of_built_models(tmp_path):
    model = keras.Sequential(
        [
            keras.Input((6, 5), batch_size=2),
            keras.layers.Conv1D(3, 2),
            keras.layers.LSTM(3, stateful=True, return_sequences=True),
            keras.layers.TimeDistributed(keras.layers.Dense(2)),
            keras.layers.Flatten(),
            keras.layers.RepeatVector(2),
            keras.layers.Dense(2),
        ]
    )
    model.compile("adam", "mse", metrics=[keras.metrics.MeanIoU(3), keras.metrics.AUC(), "accuracy"])
    model.save(tmp_path / "good.keras")
    number_attacks(tmp_path / "good.keras", tmp_path)


@pytest.mark.parametrize("layer", ["Dense", "Embedding", "Conv2D", "LSTM"])
def test_layers_of_unheard_size(tmp_path, layer):
    configs = {
        "Dense": {"units": 10**12},
        "Embedding": {"input_dim": 10**12, "output_dim": 8},
        "Conv2D": {"filters": 10**12, "kernel_size": [3, 3]},
        "LSTM": {"units": 10**9},
    }
    shape = {"Conv2D": [None, 8, 8, 3], "LSTM": [None, 4, 4], "Embedding": [None, 4]}.get(layer, [None, 4])
    hostile.small_model().save(tmp_path / "good.keras")

    def change(config):
        evil = hostile.record("keras.layers", layer, {"name": "evil", **configs[layer]})
        evil["build_config"] = {"input_shape": shape}
        config["config"]["layers"].insert(0, evil)

    path = hostile.changed_copy(tmp_path / "good.keras", tmp_path / "evil.keras", change)
    with bounded(), pytest.raises(ValueError, match="exhaust memory"):
        keras.models.load_model(path)


def test_a_legacy_file_asks_for_more_than_it_holds(tmp_path):
    hostile.small_model().save(tmp_path / "good.h5")
    path = hostile.changed_copy(
        tmp_path / "good.h5",
        tmp_path / "evil.h5",
        lambda config: config["config"]["layers"][1]["config"].update(units=10**11),
    )
    with bounded(), pytest.raises(ksave.UnsafeFileError, match="exhaust memory"):
        keras.models.load_model(path)


def test_graphs_compute_nothing_while_they_are_made(tmp_path):
    inputs = keras.Input((4,))
    model = keras.Model(inputs, keras.ops.broadcast_to(keras.layers.Dense(4)(inputs), (2, 4)))
    model.save(tmp_path / "good.keras")

    def change(config):
        node = config["config"]["layers"][-1]
        node["config"]["shape"] = [10**6, 10**6]
        node["inbound_nodes"] = [{"args": [[1.0]], "kwargs": {}}]

    path = hostile.changed_copy(tmp_path / "good.keras", tmp_path / "evil.keras", change)
    with bounded(), pytest.raises((ValueError, TypeError), match="no tensor of the graph"):
        keras.models.load_model(path)


@pytest.mark.parametrize("size", [float("nan"), float("inf"), -5, 1.5, "4", 1 << 70, [4], {"a": 1}, True])
@pytest.mark.parametrize("key", ["batch_shape", "build_config"])
def test_sizes_that_are_none(tmp_path, size, key):
    hostile.small_model().save(tmp_path / "good.keras")

    def change(config):
        layers = config["config"]["layers"]
        if key == "batch_shape":
            layers[0]["config"]["batch_shape"] = [None, size]
        else:
            layers[1]["build_config"] = {"input_shape": [None, size]}

    path = hostile.changed_copy(tmp_path / "good.keras", tmp_path / "evil.keras", change)
    with bounded(), pytest.raises((ValueError, TypeError)):
        keras.models.load_model(path)


@pytest.mark.parametrize("kind", ["Sequential", "TimeDistributed", "Bidirectional"])
def test_deep_nests(tmp_path, kind):
    hostile.small_model().save(tmp_path / "good.keras")

    def change(config):
        inner = hostile.record("keras.layers", "LSTM", {"units": 1, "name": "a"})
        for depth in range(90):
            if kind == "Sequential":
                inner = hostile.record("keras.models", kind, {"name": f"s{depth}", "layers": [inner]})
            else:
                inner = hostile.record("keras.layers", kind, {"name": f"s{depth}", "layer": inner})
        config["config"]["layers"].append(inner)

    path = hostile.changed_copy(tmp_path / "good.keras", tmp_path / "evil.keras", change)
    with bounded(seconds=30), pytest.raises((ValueError, TypeError)):
        keras.models.load_model(path)


def test_arguments_that_are_not_known_are_not_tried_without_end(tmp_path):
    # A file of a later version is tried without what is not known; in nested objects that multiplies.
    hostile.small_model().save(tmp_path / "good.keras")

    def change(config):
        inner = hostile.record("keras.layers", "Dense", {"units": 1, "new": 1})
        for depth in range(30):
            inner = hostile.record("keras.layers", "TimeDistributed", {"name": f"s{depth}", "layer": inner, "new": 1})
        config["config"]["layers"].append(inner)

    path = hostile.changed_copy(tmp_path / "good.keras", tmp_path / "evil.keras", change)
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    members["metadata.json"] = b'{"keras_version": "9.0.0"}'
    with zipfile.ZipFile(path, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)
    with bounded(seconds=30), pytest.raises((ValueError, TypeError)):
        keras.models.load_model(path)


@pytest.mark.parametrize("ending", ["keras", "h5"])
def test_no_first_values_are_made_for_what_the_file_has(tmp_path, ending):
    # A config can choose one that takes minutes; what comes from the file takes its place anyway.
    calls = []

    @keras.saving.register_keras_serializable("attacks")
    class Slow(keras.initializers.Initializer):
        def __call__(self, shape, dtype=None, **kwargs):
            calls.append(shape)
            return keras.ops.zeros(shape, dtype)

    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2, kernel_initializer=Slow())])
    model.compile("adam", "mse")
    model.save(tmp_path / f"m.{ending}")
    calls.clear()
    loaded = keras.models.load_model(tmp_path / f"m.{ending}")
    assert calls == [] and (hostile.zeros(loaded) == hostile.zeros(model)).all()
    keras.saving.get_custom_objects().pop("attacks>Slow")


@pytest.mark.parametrize(
    ("op", "shape", "config"),
    [
        ("Split", [None, 4], {"indices_or_sections": 10**9}),
        ("ArraySplit", [10**9, 4], {"indices_or_sections": 10**7}),
        ("Unstack", [None, 4], {"num": 10**9}),
        ("Unstack", [None, 10**9], {"axis": -1}),
    ],
)
def test_ops_that_give_any_number_of_tensors(op, shape, config):
    tensor = {"shape": shape, "dtype": "float32", "keras_history": ["in", 0, 0]}
    entry = hostile.record("keras.layers", "InputLayer", {"batch_shape": shape, "name": "in"})
    node = hostile.record("keras.src.ops.numpy", op, {"name": "op", **config}, op)
    call = {"args": [{"class_name": "__keras_tensor__", "config": tensor}], "kwargs": {}}
    layers = [{**entry, "name": "in", "inbound_nodes": []}, {**node, "name": "op", "inbound_nodes": [call]}]
    graph = {"name": "f", "layers": layers, "input_layers": [["in", 0, 0]], "output_layers": [["op", 0, 0]]}
    loader = Loader()
    loader.budget = {"left": loader.limits.variable_bytes(1000)}
    with bounded(), pytest.raises(ksave.UnsafeFileError, match="exhaust memory"):
        loader.deserialize(hostile.record("keras.src.models.functional", "Functional", graph, "Functional"))
