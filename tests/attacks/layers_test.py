"""Layers that can do more than compute: what a file may make of them."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from pathlib import Path

import pytest

import keras
import ksave
import kspec
from ksave.attacks.canaries import bounded, nothing_runs
from ksave.lookup import CLASS_NAMESPACES, FUNCTION_NAMESPACES

_spec = importlib.util.spec_from_file_location("hostile_files", Path(__file__).with_name("hostile_files.py"))
hostile = importlib.util.module_from_spec(_spec)
sys.modules["hostile_files"] = hostile
_spec.loader.exec_module(hostile)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    hostile.small_model().save(folder / "good.keras")
    hostile.small_model().save(folder / "good.h5")
    return folder


def _with_layer(good, tmp_path, ending, layer):
    return hostile.changed_copy(
        good / f"good.{ending}", tmp_path / f"evil.{ending}", lambda config: config["config"]["layers"].append(layer)
    )


@pytest.mark.parametrize("ending", ["keras", "h5"])
@pytest.mark.parametrize("where", ["file", "address", "bucket"])
@pytest.mark.parametrize("layer", ["StringLookup", "IntegerLookup", "TextVectorization"])
def test_vocabularies_outside_the_file(good, tmp_path, ending, where, layer):
    secret = tmp_path / "secret.txt"
    secret.write_text("1\n2\n")
    place = {"file": str(secret), "address": "http://127.0.0.1:1/vocabulary", "bucket": "gs://bucket/v"}[where]
    config = {"name": "v", "vocabulary": place}
    path = _with_layer(good, tmp_path, ending, hostile.record("keras.layers", layer, config))
    with bounded(), nothing_runs(secret), pytest.raises((ValueError, TypeError)):
        keras.models.load_model(path)
    with nothing_runs(secret), pytest.raises((ValueError, TypeError)):
        getattr(keras.layers, layer).from_config(config)
    # A program may name a file; only a config may not.
    if where == "file" and layer != "IntegerLookup":
        assert "1" in getattr(keras.layers, layer)(vocabulary=place).get_vocabulary()


@pytest.mark.parametrize("ending", ["keras", "h5"])
def test_code_runs_only_where_the_caller_says_so(good, tmp_path, ending):
    mark = tmp_path / "mark"
    layer = hostile.record("keras.layers", "Lambda", {"name": "l", "function": hostile.code(mark), "arguments": {}})
    path = _with_layer(good, tmp_path, ending, layer)
    with nothing_runs(), pytest.raises((ValueError, TypeError), match="lambda"):
        keras.models.load_model(path)
    with pytest.raises((ValueError, TypeError), match="lambda"):
        keras.layers.Lambda.from_config(layer["config"])
    assert not mark.exists()
    # This is the boundary of trust: with safe_mode=False the code is made and runs when it is called.
    model = keras.models.load_model(path, safe_mode=False)
    hostile.zeros(model)
    assert mark.exists()
    # ... in that call only.
    with pytest.raises((ValueError, TypeError), match="lambda"):
        keras.models.load_model(path)


def test_a_custom_layer_cannot_loosen_the_load_around_it(good, tmp_path):
    mark = tmp_path / "mark"

    @keras.saving.register_keras_serializable("attacks")
    class Careless(keras.layers.Layer):
        def __init__(self, function, **kwargs):
            super().__init__(**kwargs)
            self.function = function

        def call(self, x):
            return x

        @classmethod
        def from_config(cls, config):
            function = keras.saving.deserialize_keras_object(config.pop("function"), safe_mode=False)
            return cls(function, **config)

    layer = hostile.record("x", "Careless", {"function": hostile.code(mark), "name": "c"}, "attacks>Careless")
    path = _with_layer(good, tmp_path, "keras", layer)
    with pytest.raises((ValueError, TypeError), match="lambda"):
        keras.models.load_model(path)
    keras.saving.get_custom_objects().pop("attacks>Careless")


def test_old_forms_of_code(good, tmp_path):
    # Keras 1 and 2 wrote the byte code of a lambda as a list, with the kind beside it.
    code = hostile.code(tmp_path / "mark")["config"]["value"]
    config = {"name": "l", "function": code, "function_type": "lambda", "module": "__main__", "arguments": {}}
    for extra in ({}, {"output_shape": code, "output_shape_type": "lambda"}):
        path = _with_layer(good, tmp_path, "h5", {"class_name": "Lambda", "config": {**config, **extra}})
        with nothing_runs(), pytest.raises((ValueError, TypeError)):
            keras.models.load_model(path)
    named = {**config, "function": "system", "function_type": "function", "module": "os"}
    path = _with_layer(good, tmp_path, "h5", {"class_name": "Lambda", "config": named})
    with nothing_runs(), pytest.raises((ValueError, TypeError)):
        keras.models.load_model(path)


def test_every_class_that_a_file_can_name_is_of_a_known_kind():
    # A class of another kind has to be looked at before files may make objects of it.
    known = (
        keras.layers.Layer,
        keras.Operation,
        keras.Initializer,
        keras.Regularizer,
        keras.constraints.Constraint,
        keras.Loss,
        keras.Metric,
        keras.Optimizer,
        keras.optimizers.schedules.LearningRateSchedule,
        keras.Quantizer,
        keras.DTypePolicy,
        keras.dtype_policies.DTypePolicyMap,
        keras.random.SeedGenerator,
    )
    others = set()
    for name in kspec.known_names():
        space = name.rpartition(".")[0]
        if space not in CLASS_NAMESPACES:
            continue
        found = kspec.resolve(name)
        if isinstance(found, type) and callable(getattr(found, "from_config", None)):
            if not issubclass(found, known):
                others.add(name)
    plain = {"keras.InputSpec", "keras.layers.InputSpec", "keras.optimizers.OptimizerMap"}
    configs = {name for name in others if name.startswith("keras.quantizers.") and name.endswith("Config")}
    # Looked at: they hold numbers, names and other objects, and touch nothing outside.
    assert others - plain - configs <= {"keras.utils.FeatureSpace"}


def test_the_functions_that_a_file_can_name_only_compute():
    for space in FUNCTION_NAMESPACES:
        for name in kspec.known_names():
            if name.rpartition(".")[0] == space:
                short = name.rpartition(".")[2]
                assert not any(word in short for word in ("load", "save", "file", "download", "open", "exec", "unsafe"))


def test_custom_names_are_not_taken_from_built_in_ones(good, tmp_path):
    class Evil(keras.layers.Dense):
        made = 0

        def __init__(self, *args, **kwargs):
            Evil.made += 1
            super().__init__(*args, **kwargs)

    with keras.saving.CustomObjectScope({"Dense": Evil, "Custom>Dense": Evil}):
        model = keras.models.load_model(good / "good.keras")
    assert Evil.made == 0 and type(model.layers[0]) is keras.layers.Dense


def test_random_damage_to_configs_ends_in_words(good, tmp_path):
    import random

    random.seed(0)
    junk = [None, True, -1, 1e300, "", "x", [], {}, [[]], {"class_name": "Dense"}, {"config": {}}, "\u0000"]

    def places(value, path=()):
        yield path
        if isinstance(value, (dict, list)):
            for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
                yield from places(inner, (*path, key))

    def damage(config):
        for _ in range(random.randint(1, 3)):
            path = random.choice([p for p in places(config) if p])
            inner = config
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = random.choice(junk)

    for _ in range(60):
        path = hostile.changed_copy(good / "good.keras", tmp_path / "evil.keras", damage)
        with bounded(), nothing_runs():
            with contextlib.suppress(ValueError, TypeError):
                keras.models.load_model(path)
    assert ksave.in_safe_mode()
