from __future__ import annotations

import json
import os
import zipfile

import numpy as np
import pytest

import ksave
from ksave.tests.fake_layers import Chain, Dense, arrays, small_model


def _same(first, second):
    assert len(first) == len(second)
    for one, other in zip(first, second):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("zipped", [None, True, False])
def test_round_trip(tmp_path, zipped):
    model = small_model()
    path = tmp_path / ("folder" if zipped is False else "m.keras")
    ksave.save_model(model, path, zipped=zipped)
    assert path.is_dir() == (zipped is False)
    again = ksave.load_model(path)
    _same(arrays(model), arrays(again))
    assert again.layers[0].act(-2) == 3
    assert again.layers[2].words == ("où", "là")
    assert again.optimizer._own[0].value == 7
    assert os.listdir(tmp_path) == [path.name]
    other = small_model()
    other.layers[0]._own[0].value = np.zeros((4, 3), "float32")
    ksave.load_weights(other, path)
    _same(arrays(model), arrays(other))


def test_layout_is_that_of_keras(tmp_path):
    path = str(tmp_path / "m.keras")
    ksave.save_model(small_model(), path)
    with zipfile.ZipFile(path) as file:
        assert file.namelist() == [
            "metadata.json",
            "config.json",
            "model.weights.h5",
            "assets/layers/vocabulary/words.txt",
        ]
        assert file.testzip() is None
        config = json.loads(file.read("config.json"))
        assert set(json.loads(file.read("metadata.json"))) == {"keras_version", "date_saved"}
    assert config["module"] == "ksave.tests.fake_layers" and config["registered_name"] == "fake>Chain"
    assert config["config"]["layers"][0]["build_config"] == {"input_shape": [None, 4]}
    assert config["compile_config"]["optimizer"]["class_name"] == "Adam"


def test_compile_false_leaves_it_uncompiled(tmp_path):
    path = tmp_path / "m.keras"
    ksave.save_model(small_model(), path)
    assert ksave.load_model(path, compile=False).optimizer is None


def test_shared_objects_stay_shared(tmp_path):
    first = Dense(2, "a")
    model = Chain([first, Dense(3, "b", like=first), first], "shared")
    path = tmp_path / "m.keras"
    ksave.save_model(model, path)
    again = ksave.load_model(path)
    assert again.layers[1].like is again.layers[0] is again.layers[2]
    with zipfile.ZipFile(path) as file:
        text = file.read("config.json").decode()
    assert text.count("shared_object_id") == 3


def test_interrupted_save_keeps_the_old_file(tmp_path, monkeypatch):
    path, folder = tmp_path / "m.keras", tmp_path / "m"
    ksave.save_model(small_model(), path)
    ksave.save_model(small_model(), folder, zipped=False)
    before = path.read_bytes()
    model = small_model((5, 6))

    def stop(store):
        store["0"] = np.ones(1000)
        raise KeyboardInterrupt

    model.layers[1].save_own_variables = stop
    with pytest.raises(KeyboardInterrupt):
        ksave.save_model(model, path)
    with pytest.raises(KeyboardInterrupt):
        ksave.save_model(model, folder, zipped=False)
    assert path.read_bytes() == before
    _same(arrays(ksave.load_model(folder)), arrays(small_model()))
    assert sorted(os.listdir(tmp_path)) == ["m", "m.keras"]


def test_a_full_disk_keeps_the_old_file(tmp_path, monkeypatch):
    from ksave import windows

    path = tmp_path / "m.keras"
    ksave.save_model(small_model(), path)
    before = path.read_bytes()
    put = windows.Window._put
    for after in (1, 3, 6, 10):
        calls = []

        def full(self, view, at, calls=calls, after=after):
            calls.append(1)
            if len(calls) > after:
                raise OSError(28, "No space left on device")
            put(self, view, at)

        monkeypatch.setattr(windows.Window, "_put", full)
        with pytest.raises(OSError, match="No space left"):
            ksave.save_model(small_model((50, 60)), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.keras"]


def test_wrong_names_and_kinds(tmp_path):
    model = small_model()
    with pytest.raises(ValueError, match=r"ends in '\.keras'"):
        ksave.save_model(model, tmp_path / "m.txt")
    with pytest.raises(FileNotFoundError, match="no folder"):
        ksave.save_model(model, tmp_path / "none" / "m.keras")
    with pytest.raises(FileNotFoundError, match="no file"):
        ksave.load_model(tmp_path / "m.keras")
    path = tmp_path / "m.keras"
    ksave.save_model(model, path)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        ksave.save_model(model, path, overwrite=False)
    with pytest.raises(TypeError, match="no argument 'format'"):
        ksave.save_model(model, path, format="x")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"\x89HDF\r\n\x1a\n" + bytes(100), "HDF5"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"\x80\x04\x95abc", "pickle"),
        (bytes(600), "zeros"),
    ],
)
def test_other_kinds_of_files_are_named(tmp_path, content, said):
    path = tmp_path / "m.keras"
    path.write_bytes(content)
    with pytest.raises(ksave.CorruptFileError, match=said):
        ksave.load_model(path)


def test_truncated_and_damaged_files(tmp_path):
    path = tmp_path / "m.keras"
    ksave.save_model(small_model(), path)
    whole = path.read_bytes()
    for length in (10, len(whole) // 2, len(whole) - 30):
        path.write_bytes(whole[:length])
        with pytest.raises(ksave.CorruptFileError, match="damaged|truncated"):
            ksave.load_model(path)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0xFF  # inside the weights
    path.write_bytes(damaged)
    with pytest.raises(ksave.CorruptFileError, match="checksum"):
        ksave.load_model(path)


def test_newer_version_is_said_in_errors(tmp_path):
    path = tmp_path / "m.keras"
    ksave.save_weights(small_model(), tmp_path / "m.weights.h5")
    with zipfile.ZipFile(path, "w") as file:
        file.write(tmp_path / "m.weights.h5", "model.weights.h5")
        file.writestr("metadata.json", json.dumps({"keras_version": "4.0.0"}))
        file.writestr("config.json", json.dumps({"module": "x", "class_name": "New", "config": {}}))
    with pytest.raises(ksave.UnknownObjectError, match=r"written by Keras 4\.0\.0"):
        ksave.load_model(path)
