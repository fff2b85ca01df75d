"""Configs that ask for more than a model: refused before any of it is looked up or run."""

from __future__ import annotations

import json
import os
import sys
import zipfile

import pytest

import ksave
import kspec
from ksave import lookup
from ksave.tests.fake_layers import Base

deserialize = ksave.deserialize_keras_object


def _record(module, name, config=None, registered=None):
    return {
        "module": module,
        "class_name": name,
        "config": {} if config is None else config,
        "registered_name": registered,
    }


@pytest.fixture
def public(monkeypatch):
    """A table of public names as the libraries above would declare them."""
    called = []

    class Layer:
        def __init__(self, **config):
            called.append(config)

        @classmethod
        def from_config(cls, config):
            return cls(**config)

    class Evil(Layer):
        pass

    class Plain:
        def __init__(self, **config):
            called.append("made")

    def function(*args, **kwargs):
        called.append("called")

    table = {
        "keras.layers.Dense": Layer,
        "keras.layers.TFSMLayer": Layer,
        "keras.layers.TorchModuleWrapper": Layer,
        "keras.losses.MeanSquaredError": Layer,
        "keras.utils.get_file": function,
        "keras.utils.Plain": Plain,
        "keras.config.enable_unsafe_deserialization": function,
        "keras.saving.load_model": function,
        "keras.activations.relu": function,
        "keras.activations.deserialize": function,
        "keras.ops.relu": function,
    }
    monkeypatch.setattr(kspec, "known_names", lambda: dict.fromkeys(table, ""))
    monkeypatch.setattr(kspec, "resolve", table.__getitem__)
    return table, called, Evil


def test_a_registered_class_does_not_take_the_place_of_a_public_one(public):
    table, _, evil = public
    with ksave.CustomObjectScope({"Dense": evil, "shop>Dense": evil}):
        assert type(deserialize(_record("keras.layers", "Dense"))) is table["keras.layers.Dense"]
        with pytest.raises(ksave.UnsafeFileError, match="built in"):
            deserialize(_record("keras.layers", "Dense", {}, "shop>Dense"))


def test_functions_come_from_the_tables(public):
    table, called, _ = public
    assert deserialize(_record("builtins", "function", "relu", "function")) is table["keras.activations.relu"]
    assert deserialize(_record("keras.ops", "function", "relu")) is table["keras.ops.relu"]
    assert called == []


def test_unsafe_classes_need_unsafe_mode(public):
    record = _record("keras.layers", "TFSMLayer", {"filepath": "x"})
    assert deserialize(record, safe_mode=False) is not None


def test_modules_of_a_file_are_never_imported(tmp_path, monkeypatch):
    marker = tmp_path / "ran"
    (tmp_path / "evil_module.py").write_text(f"open({str(marker)!r}, 'w')\nclass Twice: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "m.keras"
    ksave.save_weights(Base("b"), tmp_path / "m.weights.h5")
    with zipfile.ZipFile(path, "w") as file:
        file.write(tmp_path / "m.weights.h5", "model.weights.h5")
        file.writestr("config.json", json.dumps(_record("evil_module", "Twice", {}, "Twice")))
    for safe_mode in (True, False):
        with pytest.raises(ksave.UnknownObjectError, match="Nothing is imported"):
            ksave.load_model(path, safe_mode=safe_mode)
    assert not os.path.exists(marker) and "evil_module" not in sys.modules


def test_a_config_cannot_exhaust_memory(tmp_path):
    from ksave.tests.fake_layers import small_model

    path, evil = tmp_path / "m.keras", tmp_path / "evil.keras"
    ksave.save_model(small_model(), path)
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(evil, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "config.json":
                config = json.loads(content)
                config["config"]["layers"][0]["config"]["units"] = 10**11
                content = json.dumps(config).encode()
            target.writestr(name, content)
    with pytest.raises(ksave.UnsafeFileError, match="exhaust memory"):
        ksave.load_model(evil)


def test_the_function_namespaces_hold_no_side_effects():
    # Reading, writing, training and settings are nowhere a config can name them.
    for space in lookup.FUNCTION_NAMESPACES:
        assert space.split(".")[1] in {
            "activations",
            "losses",
            "metrics",
            "ops",
            "initializers",
            "regularizers",
            "constraints",
            "quantizers",
        }
