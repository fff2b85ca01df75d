from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

import ksave
from ksave.__main__ import main
from ksave.inspection import inspect, verify
from ksave.stores import Reader
from ksave.tests.fake_layers import small_model

DATA = os.path.join(os.path.dirname(__file__), "testdata")
FILES = sorted(os.listdir(DATA))


def _data(name):
    return os.path.join(DATA, name)


@pytest.mark.parametrize("name", FILES)
def test_files_of_keras_are_whole(name):
    problems = verify(_data(name))
    # Which layers are installed decides what is said about names, not about the file.
    assert [text for text in problems if "installed libraries" not in text] == []


def test_a_model_file_of_keras():
    found = inspect(_data("precision_float16_bfloat16_layers.keras"))
    assert found["keras_version"] == "3.15.1" and found["model"] == "Functional" and not found["compiled"]
    assert [layer["class"] for layer in found["layers"]].count("Dense") == 4
    assert found["weights"][2] == {
        "path": "layers/dense_1/vars/0",
        "name": "dense_1",
        "shape": [8, 8],
        "dtype": "bfloat16",
        "bytes": 128,
    }
    assert found["parameters"] == 6 * 8 + 8 + 8 * 8 + 8 + 8 * 4 + 4 + 4 * 2 + 2


def test_other_kinds():
    assert inspect(_data("w_dense.weights.h5"))["kind"] == "weights"
    assert inspect(_data("w_sharded.weights.json"))["kind"] == "weights in 2 files"
    legacy = inspect(_data("h5_compiled_adam.h5"))
    assert legacy["kind"] == "legacy model" and legacy["keras_version"] == "3.15.1"
    assert [layer["name"] for layer in legacy["layers"]][1:] == ["input_layer", "dense", "dense_1"]
    path = Path(_data("string_lookup_int.keras"))
    assert verify(path) == verify(str(path)) and inspect(path) == inspect(str(path))
    assert inspect(path)["assets"] == ["assets/layers/string_lookup/vocabulary.txt"]


def test_reading_single_arrays_of_keras():
    with Reader.open(_data("w_dense.weights.h5")) as reader:
        for path, shapes in reader.paths().items():
            store = reader.store(path)
            assert {key: store[key].shape for key in store} == shapes
            assert all(np.isfinite(store[key]).all() for key in store)
    with Reader.open_shards(_data("w_sharded.weights.json")) as reader:
        assert reader.store("layers/dense_3")["0"].shape == (40, 40)


def test_problems_are_found(tmp_path):
    path = str(tmp_path / "m.keras")
    model = small_model()
    model.layers[0]._own[0].value[1, 1] = np.nan
    ksave.save_model(model, path)
    assert any("layers/dense/vars/0: 1 of 12 numbers are not finite" in text for text in verify(path))
    whole = open(path, "rb").read()  # noqa: SIM115
    with open(path, "wb") as file:
        file.write(whole[: len(whole) // 2])
    assert any("damaged or truncated" in text for text in verify(path))
    assert "no file" in verify(str(tmp_path / "none.keras"))[0]


def test_command_line(capsys, tmp_path):
    assert main(["inspect", _data("seq_plain.keras")]) == 0
    said = capsys.readouterr().out
    assert "batch_normalization" in said and "(5, 8)" in said and "3.15.1" in said
    assert main(["inspect", "--json", _data("w_dense.weights.h5")]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"] > 0
    assert main(["verify", "--json", _data("w_dense.weights.h5")]) == 0
    assert list(json.loads(capsys.readouterr().out).values()) == [[]]
    (tmp_path / "x.keras").write_bytes(b"\x80\x04")
    assert main(["verify", str(tmp_path / "x.keras")]) == 1
    assert "pickle" in capsys.readouterr().out
    assert main(["inspect", str(tmp_path / "x.keras")]) == 2
    with pytest.raises(SystemExit) as stop:
        main(["explode"])
    assert stop.value.code == 2


def test_markup_in_names_is_shown_as_it_is(capsys, tmp_path):
    model = small_model()
    model.layers[0].name = "[bold red]x[/bold red]"
    ksave.save_model(model, tmp_path / "m.keras")
    main(["inspect", str(tmp_path / "m.keras")])
    assert "[bold red]" in capsys.readouterr().out
