"""Zip containers: what is not in the matrix of attacks."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile

import pytest

import ksave
from ksave.archive import open_archive
from ksave.attacks.archive_attacks import add as _add
from ksave.limits import Limits
from ksave.tests.fake_layers import small_model


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "m.keras"
    ksave.save_model(small_model(), path)
    return path


def test_a_lie_about_the_size_is_found(path):
    _add(path, "assets/bomb", bytes(4 << 20), compress_type=zipfile.ZIP_DEFLATED)
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 10)  # says that it unpacks to 10 bytes
    path.write_bytes(data)
    with pytest.raises((ksave.CorruptFileError, ksave.UnsafeFileError)):
        ksave.load_model(path)


def test_too_many_members(path):
    with pytest.raises(ksave.UnsafeFileError, match="members"):
        open_archive(str(path), Limits(members=2))


def test_nested_zip_is_just_bytes(path):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as file:
        file.writestr("../evil", b"x")
    _add(path, "assets/inner.zip", inner.getvalue())
    ksave.load_model(path)
    assert os.listdir(path.parent) == ["m.keras"]


def test_deep_configs_below_the_json_limit(path):
    config: dict = {"units": 1}
    for _ in range(120):
        config = {"module": "x", "class_name": "Dense", "config": {"units": 1, "act": None, "like": config}}
        config["registered_name"] = "fake>Dense"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("config.json", json.dumps(config))
    with pytest.raises((ksave.UnsafeFileError, ksave.CorruptFileError)):
        ksave.load_model(path)  # no weights, or too deep: an error either way, not a crash


@pytest.mark.parametrize(
    "name", ["assets/CON", "assets/nul.txt", "assets/file.txt:stream", "assets/dot.", "assets/space "]
)
def test_names_that_mean_something_else_on_windows(path, name, monkeypatch):
    _add(path, f"assets/{name}")
    open_archive(str(path)).close()
    monkeypatch.setattr("ksave.archive.os.name", "nt")
    with pytest.raises(ksave.UnsafeFileError, match="Names are relative"):
        open_archive(str(path))
