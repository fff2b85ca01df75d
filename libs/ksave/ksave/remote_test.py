from __future__ import annotations

import sys

import numpy as np
import pytest

import ksave
from ksave import remote
from ksave.weights_test import arrays, small_model


@pytest.fixture
def memory():
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    yield store
    store.store.clear()


def test_which_paths_are_remote():
    for path in ("gs://b/m.keras", "memory://m.keras", "s3://b/a/m.weights.h5", "abfs+x://y"):
        assert remote.is_remote(path)
    for path in ("m.keras", "/a/m.keras", "C://m.keras", r"C:\m.keras", "a/b://c", "://x"):
        assert not remote.is_remote(path)


@pytest.mark.parametrize("name", ["m.keras", "m.weights.h5"])
def test_there_and_back(memory, name):
    path = f"memory://models/{name}"
    model = small_model()
    if name == "m.keras":
        ksave.save_model(model, path)
        other = ksave.load_model(path)
    else:
        ksave.save_weights(model, path)
        other = small_model()
        for layer in other.layers:
            for variable in layer._own:
                variable.value = variable.value * 0 - 1
        ksave.load_weights(other, path)
    assert memory.find("/models") == [f"/models/{name}"]
    for one, two in zip(arrays(model), arrays(other)):
        np.testing.assert_array_equal(one, two)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        (ksave.save_model if name == "m.keras" else ksave.save_weights)(model, path, overwrite=False)


def test_a_failed_save_uploads_nothing(memory):
    model = small_model()
    ksave.save_model(model, "memory://m.keras")
    before = memory.cat("/m.keras")

    def stop(store):
        raise KeyboardInterrupt

    model.layers[1].save_own_variables = stop
    with pytest.raises(KeyboardInterrupt):
        ksave.save_model(model, "memory://m.keras")
    assert memory.cat("/m.keras") == before


def test_errors_say_what_to_do(memory, monkeypatch):
    with pytest.raises(FileNotFoundError, match="no file memory://none.keras"):
        ksave.load_model("memory://none.keras")
    with pytest.raises(ValueError, match="no store 'nowhere'"):
        ksave.load_model("nowhere://m.keras")
    memory.makedirs("/folder.keras")
    with pytest.raises(ValueError, match="is a folder"):
        ksave.load_model("memory://folder.keras")
    with pytest.raises(NotImplementedError, match="local disks only"):
        ksave.save_model(small_model(), "memory://m", zipped=False)
    with pytest.raises(NotImplementedError, match="local disks only"):
        ksave.load_weights(small_model(), "memory://m.weights.json")


def test_without_fsspec(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ModuleNotFoundError, match="pip install fsspec"):
        ksave.save_model(small_model(), "gs://bucket/m.keras")
    with pytest.raises(ModuleNotFoundError, match="pip install fsspec"):
        ksave.load_weights(small_model(), "s3://bucket/m.weights.h5")
