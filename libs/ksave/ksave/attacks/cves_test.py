"""The public advisories for Keras that concern reading files, one test each.

What each is about is in SECURITY.md. The layers that some of them need are in the libraries above; those cases are
repeated on them in the repository's `tests/attacks`.
"""

from __future__ import annotations

import io
import json
import sys
import tarfile

import h5py
import numpy as np
import pytest

import ksave
from ksave import lambdas
from ksave.attacks import archive_attacks, hdf5_attacks
from ksave.attacks.canaries import bounded, nothing_runs
from ksave.attacks.containers import CONTAINERS, plain_model
from ksave.attacks.public_names import declare_names
from ksave.attacks.text_attacks import CODE, UNSAFE_SWITCH, record
from ksave.extract import extract_archive
from ksave.tests.fake_layers import small_model

KERAS, LEGACY = (next(c for c in CONTAINERS if c.name == name) for name in ("m.keras", "legacy.h5"))


@pytest.fixture
def ran(monkeypatch):
    """What of the names that files may try was made, called or decoded."""
    called = declare_names(monkeypatch)
    monkeypatch.setattr(lambdas, "decode", lambda *arguments: called.append("code"))
    return called


def refused(container, folder, *layers, said=None, error=(ValueError, TypeError)):
    """A model with these layers in it is refused, and nothing of it runs."""
    path = container.write(folder)

    def put(text):
        model = json.loads(text)
        model["config"]["layers"] = [*layers, *model["config"]["layers"]]
        return json.dumps(model).encode()

    container.attack_config(path, put)
    with bounded(), nothing_runs(), pytest.raises(error, match=said):
        ksave.load_model(path)


def test_cve_2024_3660_code_in_lambda_layers(tmp_path, ran):
    layer = record("keras.layers", "Dense", {"function": CODE})
    refused(KERAS, tmp_path, record("fake", "Dense", {"units": 1, "act": CODE, "like": None}, "fake>Dense"))
    refused(KERAS, tmp_path, {**layer, "config": {**layer["config"]}}, CODE, said="lambda")
    assert ran == []


def test_cve_2025_1550_modules_and_functions_named_by_the_config(tmp_path, ran):
    refused(KERAS, tmp_path, record("os", "system", {"command": "true"}), error=ksave.UnknownObjectError)
    refused(KERAS, tmp_path, record("os", "function", "system", "function"), error=ksave.UnknownObjectError)
    refused(KERAS, tmp_path, record("antigravity", "function", "fly"), error=ksave.UnknownObjectError)
    assert "antigravity" not in sys.modules and ran == []


def test_cve_2025_8747_functions_of_keras_as_tools(tmp_path, ran):
    origin = {"origin": "http://127.0.0.1:1/x", "fname": "x"}
    refused(KERAS, tmp_path, record("keras.utils", "get_file", origin), error=ksave.UnsafeFileError)
    refused(KERAS, tmp_path, record("keras.utils", "function", "get_file"), error=ksave.UnsafeFileError)
    refused(KERAS, tmp_path, record("builtins", "function", "get_file"), error=ksave.UnknownObjectError)
    refused(KERAS, tmp_path, record("keras.saving", "function", "load_model"), error=ksave.UnsafeFileError)
    assert ran == []


def test_cve_2025_9905_safe_mode_holds_for_legacy_files(tmp_path, ran):
    refused(LEGACY, tmp_path, CODE, said="lambda", error=ksave.UnsafeFileError)
    refused(LEGACY, tmp_path, record(None, "TorchModuleWrapper", {"module": "x"}), error=ksave.UnsafeFileError)
    assert ran == []


def test_cve_2025_9906_the_switch_cannot_be_reached(tmp_path, ran):
    refused(KERAS, tmp_path, UNSAFE_SWITCH, CODE, error=ksave.UnsafeFileError)
    switch = record("keras.config", "function", "enable_unsafe_deserialization")
    refused(KERAS, tmp_path, switch, CODE, error=ksave.UnsafeFileError)
    assert ran == [] and ksave.in_safe_mode()


def test_cve_2025_12058_files_named_by_the_config_are_not_read(tmp_path, ran):
    # The layers with vocabularies are in the library above. Here: assets come from the file itself only.
    path = KERAS.write(tmp_path)
    archive_attacks.link(path)
    with pytest.raises(ksave.UnsafeFileError, match="link"):
        ksave.load_model(path)


def test_cve_2025_12060_links_in_tar_files(tmp_path):
    archive_attacks.link_and_then_a_file_behind_it(tmp_path / "a.tar")
    with nothing_runs(), pytest.raises(ksave.UnsafeFileError, match="link"):
        extract_archive(str(tmp_path / "a.tar"), str(tmp_path / "out"))
    assert not (tmp_path / "evil.txt").exists() and not (tmp_path / "out").exists()


def test_cve_2025_12638_links_too_long_to_be_resolved(tmp_path):
    archive_attacks.long_chain_of_links(tmp_path / "a.tar")
    with nothing_runs(), pytest.raises(ksave.UnsafeFileError, match="link"):
        extract_archive(str(tmp_path / "a.tar"), str(tmp_path / "out"))
    assert not list(tmp_path.rglob("evil.txt")) and not (tmp_path / "out").exists()


def test_cve_2025_49655_pickles_in_torch_modules(tmp_path, ran):
    wrapper = record("keras.layers", "TorchModuleWrapper", {"module": "gASVHAAAAAAAAACMAm9z"})
    refused(KERAS, tmp_path, wrapper, said="unpickles", error=ksave.UnsafeFileError)
    assert ran == []


def test_cve_2026_0897_shapes_that_fill_the_memory(tmp_path):
    path = KERAS.write(tmp_path)
    KERAS.attack_hdf5(path, hdf5_attacks.shape_bomb)
    with bounded(), pytest.raises(ksave.UnsafeFileError, match="bomb"):
        ksave.load_model(path)
    with bounded(), pytest.raises(ksave.UnsafeFileError, match="bomb"):
        ksave.KerasFileEditor(path)


def test_cve_2026_1462_saved_models_inside_models(tmp_path, ran):
    layer = record("keras.layers", "TFSMLayer", {"filepath": "/tmp/evil", "call_endpoint": "serve"})
    refused(KERAS, tmp_path, layer, said="SavedModel", error=ksave.UnsafeFileError)
    assert ran == []


def test_cve_2026_1669_arrays_in_other_files(tmp_path):
    for attack in (hdf5_attacks.external_storage, hdf5_attacks.external_link, hdf5_attacks.virtual_data):
        for container in (KERAS, LEGACY):
            path = container.write(tmp_path)
            container.attack_hdf5(path, attack)
            with nothing_runs(tmp_path / "secret.h5"), pytest.raises(ksave.UnsafeFileError):
                ksave.load_model(path)


def test_cve_2026_12479_names_of_layers_are_no_paths(tmp_path):
    # Found while saving: names came from a hostile file. Ours come from classes and attributes, never from `name`.
    model = small_model()
    for layer in model.layers:
        layer.name = "../../../evil"
    (tmp_path / "in").mkdir()
    ksave.save_model(model, tmp_path / "in" / "m.keras")
    ksave.save_model(model, tmp_path / "in" / "folder", zipped=False)
    ksave.load_model(tmp_path / "in" / "m.keras")
    assert [file.name for file in tmp_path.iterdir()] == ["in"]
    assert not [file for file in tmp_path.rglob("*") if "evil" in file.name]


def test_cve_2026_12480_links_in_legacy_files(tmp_path):
    path = LEGACY.write(tmp_path)
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["model_weights/dense/kernel"] = np.ones((4, 3), "float32")
    for link in (h5py.ExternalLink(str(tmp_path / "secret.h5"), "/model_weights"), h5py.SoftLink("/elsewhere")):
        with h5py.File(path, "a") as file:
            del file["model_weights"]
            file["model_weights"] = link
        for load in (ksave.load_model, lambda path: ksave.load_weights(plain_model(), path)):
            with pytest.raises(ksave.UnsafeFileError, match="link"):
                load(path)


def test_cve_2026_12481_without_a_load_that_is_going_on(ran):
    # Nobody has said that it is safe, so it is not.
    for config in (CODE, [CODE], record("fake", "Dense", {"units": 1, "act": CODE, "like": None}, "fake>Dense")):
        with pytest.raises(ksave.UnsafeFileError, match="lambda"):
            ksave.deserialize_keras_object(config)
    from ksave.tests.fake_layers import Dense

    with pytest.raises(ksave.UnsafeFileError, match="lambda"):
        Dense.from_config({"units": 1, "act": CODE, "like": None})
    assert ran == []


def test_ghsa_hqp4_2352_xf5r_names_are_relative_to_the_target(tmp_path, monkeypatch):
    # The check once asked whether a name stays below the working directory, not below the target.
    monkeypatch.chdir("/")
    (tmp_path / "out").mkdir()
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        info = tarfile.TarInfo("../evil.txt")
        info.size = 1
        archive.addfile(info, io.BytesIO(b"x"))
    with pytest.raises(ksave.UnsafeFileError, match="relative"):
        extract_archive(str(tmp_path / "a.tar"), str(tmp_path / "out"))
    assert not (tmp_path / "evil.txt").exists()


@pytest.mark.parametrize("registered", ["builtins.eval", "subprocess.Popen", "shop>Dense", "fake>Adam", 3])
def test_keras_issue_22703_registered_names_of_other_things(tmp_path, ran, registered):
    refused(KERAS, tmp_path, record("keras.layers", "Dense", {"units": 1}, registered))


def test_keras_issue_22706_registered_names_of_other_classes(tmp_path, ran):
    # The record reads as if it were a Dense of keras.layers.
    refused(KERAS, tmp_path, record("my.layers", "Dense", {"name": "x"}, "fake>Adam"), said="ambiguous")
    with ksave.CustomObjectScope({"Dense": plain_model}):
        refused(KERAS, tmp_path, record(None, "Dense", {}, None), error=ksave.UnsafeFileError)
