"""Legacy `.h5` files whose attributes are not what they should be: refused in words of ours, whoever opens them."""

from __future__ import annotations

import contextlib
import json

import h5py
import numpy as np
import pytest

import ksave
from ksave.attacks.canaries import bounded
from ksave.attacks.containers import CONTAINERS, plain_model
from ksave.attacks.entries import REFUSALS
from ksave.limits import visible

VALUES = {
    "number": 5,
    "fraction": 1.5,
    "truth": True,
    "nothing": h5py.Empty("f4"),
    "numbers": np.array([1, 2]),
    "names": np.array([b"a", b"b"]),
    "a_name_twice": np.array(["a", "a/."], object),
    "matrix": np.array([[b"a"]]),
    "bytes_that_are_no_text": b"\xff\xfe",
    "control": "\x1b[31m",
    "control_in_a_list": np.array(["\x1b[31m"], object),
    "root": np.array(["/"], object),
    "empty": np.array([""], object),
    "json_list": "[]",
    "json_number": "5",
    "json_of_no_model": '{"class_name": "Chain", "config": {"layers": [{"a": 1}]}}',
}
ATTRIBUTES = ("model_config", "training_config", "keras_version", "backend", "layer_names", "weight_names")


@pytest.fixture
def path(tmp_path):
    return next(container for container in CONTAINERS if container.name == "legacy.h5").write(tmp_path)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_attributes(path, attribute, value):
    with h5py.File(path, "a") as file:
        weights = file["model_weights"]
        owner = {"layer_names": weights, "weight_names": next(iter(weights.values()))}.get(attribute, file)
        owner.attrs[attribute] = VALUES[value]
    for use in (
        lambda: ksave.load_model(path),
        lambda: ksave.load_weights(plain_model(), path),
        lambda: ksave.load_weights(plain_model(), path, by_name=True, skip_mismatch=True),
        lambda: ksave.inspect(path),
    ):
        with bounded(), contextlib.suppress(*REFUSALS):
            try:
                use()
            except ValueError as error:
                # Weights that do not fit are no refusal; their words may not steer a terminal either.
                assert isinstance(error, REFUSALS) or "weights of" in str(error) or "fit" in str(error)
                assert visible(str(error)) == str(error)
    for problem in ksave.verify(path):
        assert "has no attribute" not in problem and "object is not" not in problem


def test_a_list_of_one_layer_by_many_names(tmp_path):
    # Whoever read the list of weights of each would do work that grows with the square of the file.
    path = tmp_path / "evil.h5"
    names = [f"a{'/.' * (number % 10)}{'//' * (number // 10)}" for number in range(100)]
    with h5py.File(path, "w") as file:
        file["a/w"] = np.zeros(1, "f4")
        file.attrs["layer_names"] = np.array(names, "S")
        file["a"].attrs["weight_names"] = np.array([b"w"])
    for use in (lambda: ksave.inspect(path), lambda: ksave.load_weights(plain_model(), path)):
        with pytest.raises(ksave.CorruptFileError, match="twice"):
            use()


def test_training_settings_of_another_kind(path):
    for settings in ([], 3, {"optimizer_config": 3}, {"loss": {"class_name": [1], "config": 1}}, {"metrics": 5}):
        with h5py.File(path, "a") as file:
            file.attrs["training_config"] = json.dumps(settings)
        with contextlib.suppress(*REFUSALS):
            ksave.load_model(path)
