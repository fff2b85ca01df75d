"""Hostile values at every place of a real model's config: refused, and nothing of them runs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

import keras
import ksave
from ksave.attacks.canaries import bounded, nothing_runs

_spec = importlib.util.spec_from_file_location("hostile_files", Path(__file__).with_name("hostile_files.py"))
hostile = importlib.util.module_from_spec(_spec)
sys.modules["hostile_files"] = hostile
_spec.loader.exec_module(hostile)

NAMES = list(hostile.gadgets(Path("/mark"), Path("/outside")))


def _layer(config):
    return config["config"]["layers"][1]


def _compile(config):
    return config["compile_config"]


PLACES = {
    "model": lambda config, value: value,
    "layer": lambda config, value: config["config"]["layers"].append(value),
    "activation": lambda config, value: _layer(config)["config"].update(activation=value),
    "kernel_initializer": lambda config, value: _layer(config)["config"].update(kernel_initializer=value),
    "bias_regularizer": lambda config, value: _layer(config)["config"].update(bias_regularizer=value),
    "kernel_constraint": lambda config, value: _layer(config)["config"].update(kernel_constraint=value),
    "dtype": lambda config, value: _layer(config)["config"].update(dtype=value),
    "unknown_argument": lambda config, value: _layer(config)["config"].update(anything=value),
    "inside_an_initializer": lambda config, value: _layer(config)["config"].update(
        kernel_initializer=hostile.record("keras.initializers", "Constant", {"value": value})
    ),
    "lambda_layer": lambda config, value: config["config"]["layers"].append(
        hostile.record("keras.layers", "Lambda", {"name": "l", "function": value, "arguments": {}})
    ),
    "wrapper": lambda config, value: config["config"]["layers"].append(
        hostile.record("keras.layers", "TimeDistributed", {"name": "w", "layer": value})
    ),
    "recurrent_cell": lambda config, value: config["config"]["layers"].append(
        hostile.record("keras.layers", "RNN", {"name": "r", "cell": value})
    ),
    "rescaling": lambda config, value: config["config"]["layers"].append(
        hostile.record("keras.layers", "Rescaling", {"name": "s", "scale": value})
    ),
    "optimizer": lambda config, value: _compile(config).update(optimizer=value),
    "learning_rate": lambda config, value: _compile(config)["optimizer"]["config"].update(learning_rate=value),
    "loss": lambda config, value: _compile(config).update(loss=value),
    "metric": lambda config, value: _compile(config).update(metrics=[value]),
    "metric_function": lambda config, value: _compile(config).update(
        metrics=[hostile.record("keras.metrics", "MeanMetricWrapper", {"fn": value, "name": "m"})]
    ),
}
# What stands here is kept as plain data that nobody makes anything of.
INERT = {"rescaling"}
LEGACY_PLACES = ("layer", "activation", "kernel_initializer", "lambda_layer", "wrapper")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    hostile.small_model().save(folder / "good.keras")
    hostile.small_model().save(folder / "good.h5")
    return folder


def test_the_good_files_load(good):
    for name in ("good.keras", "good.h5"):
        path = hostile.changed_copy(good / name, good / f"copy_{name}", lambda config: None)
        assert hostile.zeros(keras.models.load_model(path)).shape == (1, 2)


@pytest.mark.parametrize("name", NAMES)
def test_keras_file(good, tmp_path, name):
    mark, outside = tmp_path / "mark", tmp_path / "outside.txt"
    outside.write_text("secret")
    for place, put in PLACES.items():
        value = hostile.gadgets(mark, outside)[name]
        path = hostile.changed_copy(
            good / "good.keras", tmp_path / "evil.keras", lambda config, put=put, value=value: put(config, value)
        )
        with bounded(), nothing_runs(outside):
            try:
                model = keras.models.load_model(path)
            except hostile.REFUSALS:
                model = None
        assert not mark.exists() and ksave.in_safe_mode(), place
        assert model is None or place in INERT, f"taken as {place}"


@pytest.mark.parametrize("name", NAMES)
def test_legacy_file(good, tmp_path, name):
    mark, outside = tmp_path / "mark", tmp_path / "outside.txt"
    outside.write_text("secret")
    for place in LEGACY_PLACES:
        value = hostile.gadgets(mark, outside)[name]
        path = hostile.changed_copy(
            good / "good.h5", tmp_path / "evil.h5", lambda config, p=place, value=value: PLACES[p](config, value)
        )
        with bounded(), nothing_runs(outside), pytest.raises(hostile.REFUSALS):
            keras.models.load_model(path)
        assert not mark.exists() and ksave.in_safe_mode(), place


@pytest.mark.parametrize("name", NAMES)
def test_outside_of_files(tmp_path, name):
    mark, outside = tmp_path / "mark", tmp_path / "outside.txt"
    value = hostile.gadgets(mark, outside)[name]
    layer = hostile.record("keras.layers", "Lambda", {"name": "l", "function": value})
    for make in (
        lambda: keras.saving.deserialize_keras_object(value),
        lambda: keras.saving.deserialize_keras_object(layer),
        lambda: keras.layers.Lambda.from_config(layer["config"]),
        lambda: keras.activations.deserialize(value),
        lambda: keras.optimizers.deserialize(value),
        lambda: keras.Sequential.from_config({"name": "s", "layers": [layer]}),
        lambda: keras.layers.Dense(1, activation=value),
        lambda: keras.layers.Dense.from_config({"units": 1, "kernel_initializer": value}),
    ):
        with bounded(), nothing_runs(outside), pytest.raises(hostile.REFUSALS):
            make()
    assert not mark.exists() and ksave.in_safe_mode()
