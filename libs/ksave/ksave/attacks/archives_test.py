"""Zip containers: what is not in the matrix of attacks."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
import zlib

import h5py
import numpy as np
import pytest

import ksave
import ksave.hdf5
from ksave.archive import open_archive
from ksave.attacks.archive_attacks import add as _add
from ksave.attacks.canaries import bounded
from ksave.attacks.containers import CONTAINERS, write_zip
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


@pytest.mark.parametrize("container", ["m.keras", "sharded.keras", "npz.keras"])
def test_packed_twice_is_measured_from_the_outside(tmp_path, container):
    # Packed bytes that repeat can be packed again: each time 200 times smaller is 40,000 times smaller.
    path = next(found for found in CONTAINERS if found.name == container).write(tmp_path)
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    inner = io.BytesIO()
    if container == "npz.keras":
        name = "model.weights.npz"
        with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as file:
            values, array = np.zeros(48 << 20, "u1"), io.BytesIO()
            values[::400] = 7  # packs to a 190th
            np.save(array, values)
            file.writestr("vars/0.npy", array.getvalue())
    else:
        name = "model.weights.h5" if container == "m.keras" else "model_00000.weights.h5"
        inner.write(members[name])
        packer = zlib.compressobj(9)
        piece = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_SYNC_FLUSH)
        piece += b"\0\0\0\xff\xff" * 900 + packer.flush()  # blocks of nothing
        with h5py.File(inner, "a") as file:
            data = file.create_dataset("layers/extra/vars/0", (100, 1 << 20), "u1", chunks=(1, 1 << 20), compression=1)
            for row in range(100):
                data.id.write_direct_chunk((row, 0), piece)
        ksave.hdf5.open_checked(inner).close()  # alone it is within bounds
    members[name] = inner.getvalue()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for member, content in members.items():
            file.writestr(member, content)
    with bounded(), pytest.raises(ksave.UnsafeFileError, match="bomb"):
        ksave.load_model(path)
    assert "bomb" in "".join(ksave.verify(path))


def test_many_shards_have_no_more_for_free_than_one(tmp_path):
    path = next(found for found in CONTAINERS if found.name == "sharded.keras").write(tmp_path)
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    index = json.loads(members["model.weights.json"])
    shard = io.BytesIO()
    with h5py.File(shard, "w") as file:
        file.attrs["set"] = index["metadata"]["set"]
        file.create_dataset("layers/extra/vars/0", (15 << 20,), "u1")  # of which nothing is stored
    for number in range(20):
        members[f"extra_{number}.weights.h5"] = shard.getvalue()
        index["weight_map"][f"/extra_{number}"] = [f"extra_{number}.weights.h5"]
    members["model.weights.json"] = json.dumps(index).encode()
    write_zip(path, members)
    with pytest.raises(ksave.UnsafeFileError, match="bomb"):
        ksave.load_model(path)


@pytest.mark.parametrize("version", ["3.\u00b2", "9" * 5000, "2.4.\x1b[31m", "3", "", "x.y"])
def test_versions_that_are_none(path, version, recwarn):
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    members["metadata.json"] = json.dumps({"keras_version": version}).encode()
    write_zip(path, members)
    ksave.load_model(path)
    assert ksave.verify(path) == []
    assert "\x1b" not in "".join(str(warning.message) for warning in recwarn)
