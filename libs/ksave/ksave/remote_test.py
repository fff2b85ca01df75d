from __future__ import annotations

import sys

import numpy as np
import pytest

import ksave
from ksave import remote
from ksave.__main__ import main
from ksave.tests.fake_layers import arrays, small_model


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


def _zeroed():
    model = small_model()
    for layer in model.layers:
        for variable in layer._own:
            variable.value = variable.value * 0
    return model


def test_folders_and_shards_are_read(memory, tmp_path):
    model = small_model()
    ksave.save_model(model, str(tmp_path / "folder"), zipped=False)
    ksave.save_weights(model, str(tmp_path / "m.weights.json"), max_shard_size=10 / 1024**3)
    memory.put(str(tmp_path), "/up", recursive=True)
    assert len(memory.glob("/up/m_*.weights.h5")) > 1
    other = _zeroed()
    ksave.load_weights(other, "memory://up/m.weights.json")
    for found in (ksave.load_model("memory://up/folder"), other):
        for one, two in zip(arrays(model), arrays(found)):
            np.testing.assert_array_equal(one, two)
    for name in ("folder", "m.weights.json"):
        mine, theirs = ksave.inspect(str(tmp_path / name)), ksave.inspect(f"memory://up/{name}")
        assert {**mine, "file": ""} == {**theirs, "file": ""} and theirs["file"] == f"memory://up/{name}"
        assert ksave.verify(f"memory://up/{name}") == ksave.verify(str(tmp_path / name))
        editor = ksave.KerasFileEditor(f"memory://up/{name}")
        editor.save(f"memory://up/{name}.weights.h5")
        other = _zeroed()
        ksave.load_weights(other, f"memory://up/{name}.weights.h5")
        np.testing.assert_array_equal(arrays(other)[0], arrays(model)[0])


def test_commands(memory, capsys):
    ksave.save_model(small_model(), "memory://m.keras")
    assert main(["strip", "memory://m.keras", "-o", "memory://s.keras"]) == 0
    assert main(["convert", "memory://m.keras", "memory://m.npz"]) == 0
    assert main(["convert", "memory://m.keras", "memory://m.npz"]) == 2
    assert "--force" in capsys.readouterr().err
    assert main(["diff", "memory://m.keras", "memory://m.npz", "--weights-only"]) == 0
    assert main(["strip", "memory://s.keras"]) == 0
    assert "nothing was changed" in capsys.readouterr().out


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
    memory.pipe("/folder/notes.txt", b"")
    with pytest.raises(ValueError, match="memory://folder is a"):
        ksave.load_model("memory://folder")
    memory.pipe("/broken.keras", b"PK")
    with pytest.raises(ValueError, match="memory://broken.keras"):
        ksave.load_model("memory://broken.keras")
    assert "memory://broken.keras" in ksave.verify("memory://broken.keras")[0]
    with pytest.raises(ValueError, match="'../out.weights.h5'"):
        memory.pipe("/m.weights.json", b'{"weight_map": {"/": ["../out.weights.h5"]}}')
        ksave.load_weights(small_model(), "memory://m.weights.json")
    with pytest.raises(NotImplementedError, match="local disks only"):
        ksave.save_model(small_model(), "memory://m", zipped=False)
    with pytest.raises(NotImplementedError, match="local disks only"):
        ksave.save_weights(small_model(), "memory://m.weights.json", max_shard_size=1)


def test_without_fsspec(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ModuleNotFoundError, match="pip install fsspec"):
        ksave.save_model(small_model(), "gs://bucket/m.keras")
    with pytest.raises(ModuleNotFoundError, match="pip install fsspec"):
        ksave.load_weights(small_model(), "s3://bucket/m.weights.h5")
