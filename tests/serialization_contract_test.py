"""Layers, initializers, regularizers, constraints and policies write the configs that are recorded in spec/."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ksave
import kspec

RECORD = json.loads((Path(__file__).resolve().parent.parent / "spec/serialization.json").read_text())
KINDS = (
    "keras.layers.",
    "keras.initializers.",
    "keras.regularizers.",
    "keras.constraints.",
    "keras.dtype_policies.",
    "keras.quantizers.",
    "keras.DTypePolicy",
    "keras.FloatDTypePolicy",
    "keras.InputSpec",
    "keras.Initializer",
)
KNOWN = kspec.known_names()
CASES = [
    (name, case)
    for name, cases in RECORD["classes"].items()
    if name.startswith(KINDS) and name in KNOWN
    for case in cases
]


def plain(obj):
    record = json.loads(json.dumps(ksave.serialize_keras_object(obj)))
    record.pop("build_config", None)
    return record


def nameless(record):
    # Names that were generated count up within a process.
    config = {k: v for k, v in record["config"].items() if k != "name"}
    return {**record, "config": config}


@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda value: value)
def test_config_is_as_recorded(name, case):
    entry = RECORD["classes"][name][case]
    wanted = {k: v for k, v in entry["serialized"].items() if k != "build_config"}
    if case == "simple":
        made = ksave.deserialize_keras_object(entry["serialized"])
    else:
        made = kspec.resolve(name)(**ksave.deserialize_keras_object(entry["arguments"]))
    found = plain(made)
    if "name" not in entry["arguments"] and "policies" not in name and "Policy" not in name:
        found, wanted = nameless(found), nameless(wanted)
    if name == "keras.layers.RandomCrop":
        # Its seed is drawn when none is given, so each layer records another.
        seeds = [record["config"].pop("seed") for record in (found, wanted)]
        assert all(type(seed) is int for seed in seeds)
    # Not the order of the keys: members of a JSON object have none, and no reader depends on it.
    assert found == wanted


def test_the_record_is_used():
    # Of the classes of these kinds all but a few are here; a wrong prefix would check nothing.
    assert len(CASES) > 100


@pytest.mark.parametrize("name", [n for n in RECORD["functions"] if n.startswith("keras.activations.")])
def test_activations_stand_in_configs_by_name(name):
    serialize = kspec.resolve("keras.activations.serialize")
    function = kspec.resolve(name)
    assert serialize(function) == RECORD["functions"][name]["module_serialize"]
    assert ksave.serialize_keras_object(function) == RECORD["functions"][name]["serialize_keras_object"]
