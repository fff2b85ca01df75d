"""Losses, metrics, optimizers and schedules write the configs that files of Keras 3.15 have, and read them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ksave
import kspec
from ktrain.losses import identifiers as losses
from ktrain.metrics import identifiers as metrics
from ktrain.optimizers import identifiers as optimizers

RECORD = json.loads((Path(__file__).parent / "testdata" / "configs.json").read_text())
CASES = [(name, case) for name, cases in RECORD["classes"].items() for case in cases]
# What Keras leaves out of configs, so that a loaded object is another one; here it stands in them when it was chosen.
KEPT = {
    "keras.losses.Huber": "delta",
    "keras.losses.CosineSimilarity": "axis",
    "keras.metrics.CosineSimilarity": "axis",
}


def plain(obj):
    return json.loads(json.dumps(ksave.serialize_keras_object(obj)))


def without_names(record):
    """Names that were generated count up within a process."""
    if isinstance(record, dict):
        return {k: without_names(v) for k, v in record.items() if k != "name"}
    if isinstance(record, list):
        return [without_names(v) for v in record]
    return record


@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda value: value)
def test_config_is_as_recorded_and_can_be_read(name, case):
    entry = RECORD["classes"][name][case]
    wanted = entry["serialized"]
    if case == "simple":
        made = ksave.deserialize_keras_object(wanted)
    else:
        made = kspec.resolve(name)(**ksave.deserialize_keras_object(entry["arguments"]))
    found = plain(made)
    if name in KEPT and KEPT[name] in found["config"]:
        assert found["config"].pop(KEPT[name]) == entry["arguments"][KEPT[name]]
    assert without_names(found) == without_names(wanted)
    again = ksave.deserialize_keras_object(plain(made))
    assert type(again) is type(made) and without_names(plain(again)) == without_names(plain(made))


@pytest.mark.parametrize("name", RECORD["functions"])
def test_functions_stand_in_configs_by_name(name):
    function = kspec.resolve(name)
    record = plain(function)
    assert record == RECORD["functions"][name]
    module = losses if name.startswith("keras.losses") else metrics
    assert module.deserialize(record) is function
    assert module.serialize(function) == record


def test_get_takes_names_of_all_spellings():
    mse = kspec.resolve("keras.losses.mean_squared_error")
    assert losses.get("mse") is losses.get("MSE") is losses.get("mean_squared_error") is mse
    assert type(losses.get("MeanSquaredError")).__name__ == "MeanSquaredError"
    assert type(metrics.get("mse")).__name__ == type(metrics.get("mean_squared_error")).__name__ == "MeanSquaredError"
    assert type(metrics.get("AUC")).__name__ == "AUC"
    assert type(optimizers.get("adamw")).__name__ == "AdamW"
    assert type(optimizers.get("RMSprop")).__name__ == "RMSprop"
    assert losses.get(None) is metrics.get(None) is optimizers.get(None) is None
    made = kspec.resolve("keras.losses.Dice")
    assert isinstance(losses.get(made), made)


@pytest.mark.parametrize(
    ("module", "wrong", "near"),
    [(losses, "hubert", "huber"), (metrics, "recal", "recall"), (optimizers, "adan", "adam")],
    ids=["loss", "metric", "optimizer"],
)
def test_unknown_names_get_a_suggestion(module, wrong, near):
    with pytest.raises(ValueError, match=f"Unknown .*{wrong}.*Did you mean.*{near}"):
        module.get(wrong)
    with pytest.raises(ValueError, match="not 3"):
        module.get(3)


def test_registered_functions_are_found_by_name():
    @ksave.register_keras_serializable("mine")
    def nearly(y_true, y_pred):
        return np.abs(y_true - y_pred).sum(-1)

    assert losses.get("mine>nearly") is nearly
    with ksave.custom_object_scope({"close": nearly}):
        assert losses.get("close") is nearly
