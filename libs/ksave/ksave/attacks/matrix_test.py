"""Every attack in every container at every entry point. What is added to one of the three tables meets the others."""

from __future__ import annotations

import json

import pytest

import ksave
from ksave import __main__ as command_line
from ksave import lambdas
from ksave.attacks.archive_attacks import FOLDER, ZIP
from ksave.attacks.array_attacks import NOT_OPENED_BY_ALL, NPY, SAFETENSORS, replace_npy
from ksave.attacks.canaries import bounded, nothing_runs
from ksave.attacks.containers import CONTAINERS, plain_model, with_part
from ksave.attacks.entries import COMMANDS, ENTRIES, attempt
from ksave.attacks.hdf5_attacks import HDF5, NOT_READ_BY_ALL
from ksave.attacks.public_names import declare_names
from ksave.attacks.text_attacks import INDICES, PLACES, RECORDS, TEXT


@pytest.fixture
def folder(tmp_path):
    return tmp_path


@pytest.mark.parametrize("container", CONTAINERS, ids=lambda container: container.name)
def test_good_files_pass_everywhere(folder, container):
    # Without this every refusal below could be for another reason.
    path = container.write(folder)
    for entry in ENTRIES:
        if entry.takes(container):
            with bounded(), nothing_runs():
                refusal = attempt(entry, path, folder)
            assert refusal is None, (entry.name, refusal)


def test_every_command_is_an_entry():
    assert set(COMMANDS) == set(command_line._COMMANDS)


def refused_everywhere(container, path, folder, part, by_all=True):
    """The file is refused wherever that part is read, at once, and leaves nothing behind."""
    refused = 0
    before = {file for file in folder.rglob("*") if file.is_file()}
    for entry in ENTRIES:
        if part in entry.reads and entry.takes(container):
            with bounded(), nothing_runs(folder / "secret.h5"):
                refusal = attempt(entry, path, folder)
            assert refusal is not None or not by_all, f"{entry.name} takes it"
            assert {file for file in folder.rglob("*") if file.is_file()} == before, entry.name
            refused += refusal is not None
    assert refused


@pytest.mark.parametrize("attack", HDF5)
@pytest.mark.parametrize("container", with_part("hdf5"), ids=lambda container: container.name)
def test_hdf5(folder, container, attack):
    path = container.write(folder)
    container.attack_hdf5(path, HDF5[attack])
    refused_everywhere(container, path, folder, "hdf5", attack not in NOT_READ_BY_ALL)


@pytest.mark.parametrize("attack", ZIP)
@pytest.mark.parametrize("container", with_part("zip"), ids=lambda container: container.name)
def test_zip(folder, container, attack):
    path = container.write(folder)
    ZIP[attack](path)
    refused_everywhere(container, path, folder, "zip")


@pytest.mark.parametrize("attack", FOLDER)
def test_folder(folder, attack):
    (container,) = with_part("folder")
    path = container.write(folder)
    FOLDER[attack](path)
    refused_everywhere(container, path, folder, "folder")


@pytest.mark.parametrize("attack", TEXT)
@pytest.mark.parametrize("container", with_part("config"), ids=lambda container: container.name)
def test_text(folder, container, attack):
    path = container.write(folder)
    container.attack_config(path, TEXT[attack])
    refused_everywhere(container, path, folder, "config")


@pytest.fixture
def called(folder, monkeypatch):
    """What of the names that the configs try was made or called, lambdas included; it has to stay empty."""
    noted = declare_names(monkeypatch)
    (folder / "evil_module.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(lambdas, "decode", lambda *arguments: noted.append("lambda"))
    yield noted
    assert noted == [] and ksave.in_safe_mode()


@pytest.mark.parametrize("attack", RECORDS)
@pytest.mark.parametrize("container", with_part("config"), ids=lambda container: container.name)
def test_config(folder, container, attack, called):
    for place, put in PLACES.items():
        path = container.write(folder / place)
        container.attack_config(path, lambda text, put=put: put(text, RECORDS[attack]))
        for entry in ENTRIES:
            if entry.takes(container) and entry.makes:
                with bounded(), nothing_runs(folder / "evil_module.py"):
                    refusal = attempt(entry, path, folder)
                assert refusal is not None, f"{entry.name} takes it as {place}"


@pytest.mark.parametrize("container", with_part("config"), ids=lambda container: container.name)
def test_configs_that_are_only_looked_at(folder, container, called):
    # Whoever makes no objects may take them all; still nothing of them happens.
    path = container.write(folder)
    container.attack_config(path, lambda text: PLACES["argument"](text, list(RECORDS.values())))
    for entry in ENTRIES:
        if entry.takes(container) and not entry.makes:
            with bounded(), nothing_runs(folder / "evil_module.py"):
                attempt(entry, path, folder)


@pytest.mark.parametrize("attack", INDICES)
@pytest.mark.parametrize("container", with_part("index"), ids=lambda container: container.name)
def test_index(folder, container, attack):
    path = container.write(folder)
    index = "model.weights.json" if "zip" in container.parts else ""
    with container.part(path, index) as file:
        file.write_text(json.dumps(INDICES[attack]))
    if attack == "missing_file" and "zip" not in container.parts:
        with pytest.raises(FileNotFoundError):
            ksave.load_weights(plain_model(), path)
        return
    refused_everywhere(container, path, folder, "index")


@pytest.mark.parametrize("attack", TEXT)
def test_index_text(folder, attack):
    container = next(container for container in with_part("index") if "zip" not in container.parts)
    path = container.write(folder)
    path.write_bytes(TEXT[attack](path.read_bytes()))
    refused_everywhere(container, path, folder, "index")


@pytest.mark.parametrize("attack", NPY)
@pytest.mark.parametrize("container", with_part("npy"), ids=lambda container: container.name)
def test_npy(folder, container, attack):
    path = container.write(folder)
    if "config" in container.parts:
        with container.part(path, "model.weights.npz") as inner:
            replace_npy(inner, NPY[attack])
    else:
        replace_npy(path, NPY[attack])
    refused_everywhere(container, path, folder, "npy", attack not in NOT_OPENED_BY_ALL)


@pytest.mark.parametrize("attack", SAFETENSORS)
def test_safetensors(folder, attack):
    (container,) = with_part("safetensors")
    path = folder / container.name
    path.write_bytes(SAFETENSORS[attack]())
    refused_everywhere(container, path, folder, "safetensors")
