"""Hostile HDF5 files, as weights files and inside `.keras` files: refused before any data is read."""

from __future__ import annotations

import contextlib
import json
import os
import zipfile

import h5py
import numpy as np
import pytest

import ksave
from ksave.fake_layers import small_model
from ksave.hdf5 import open_checked
from ksave.limits import Limits


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "m.weights.h5"
    ksave.save_weights(small_model(), path)
    return path


def _refused(path, said, kind=ksave.UnsafeFileError):
    with pytest.raises(kind, match=said):
        ksave.load_weights(small_model(), path)
    whole = path.parent / "m.keras"
    ksave.save_model(small_model(), whole)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(path.parent / "evil.keras", "w") as target:
        for name in source.namelist():
            weights = name == "model.weights.h5"
            target.writestr(name, path.read_bytes() if weights else source.read(name))
    with pytest.raises(kind, match=said):
        ksave.load_model(path.parent / "evil.keras")
    whole.unlink()
    os.rename(path, path.parent / "legacy.h5")
    with pytest.raises(kind, match=said):
        ksave.load_weights(small_model(), path.parent / "legacy.h5")
    with pytest.raises(kind, match=said):
        ksave.load_model(path.parent / "legacy.h5")


def _replace(path, make):
    with h5py.File(path, "a") as file:
        group = file["layers/dense/vars"]
        del group["0"]
        make(group)


def test_external_link(path):
    with h5py.File(path.parent / "secret.h5", "w") as file:
        file["x"] = np.ones((4, 3), "float32")
    _replace(
        path, lambda group: group.__setitem__("0", h5py.ExternalLink(str(path.parent / "secret.h5"), "/x"))
    )
    _refused(path, "link to another place")


def test_soft_link(path):
    _replace(path, lambda group: group.__setitem__("0", h5py.SoftLink("/layers/dense_1/vars/0")))
    _refused(path, "link to another place")


def test_linked_group(path):
    with h5py.File(path, "a") as file:
        file["layers/other"] = h5py.SoftLink("/layers/dense")
    _refused(path, "link to another place")


def test_cyclic_groups(path):
    with h5py.File(path, "a") as file:
        file["layers/dense/again"] = file["layers"]
    _refused(path, "two places")


def test_root_inside_itself(path):
    with h5py.File(path, "a") as file:
        file["layers/root"] = file["/"]
        file["layers/root2"] = file["/"]
    _refused(path, "two places")


def test_external_storage(path):
    secret = path.parent / "secret.bin"
    secret.write_bytes(b"secret" * 10)
    _replace(
        path,
        lambda group: group.create_dataset(
            "0", (4, 3), "float32", external=[(str(secret), 0, h5py.h5f.UNLIMITED)]
        ),
    )
    _refused(path, "another file")


def test_virtual_dataset(path):
    with h5py.File(path.parent / "secret.h5", "w") as file:
        file["x"] = np.ones((4, 3), "float32")

    def make(group):
        layout = h5py.VirtualLayout((4, 3), "float32")
        layout[:] = h5py.VirtualSource(str(path.parent / "secret.h5"), "x", (4, 3))
        group.create_virtual_dataset("0", layout)

    _replace(path, make)
    _refused(path, "other arrays or files")


@pytest.mark.parametrize("chunks", [None, (1, 1 << 16)])
def test_declared_shape_bomb(path, chunks):
    _replace(path, lambda group: group.create_dataset("0", (1 << 20, 1 << 20), "float32", chunks=chunks))
    _refused(path, "bomb")


def test_compression_bomb(path):
    _replace(
        path,
        lambda group: group.create_dataset(
            "0", data=np.zeros((64, 1 << 20), "uint8"), chunks=(1, 1 << 20), compression="gzip"
        ),
    )
    _refused(path, "bomb")


def test_python_objects_and_references(path):
    _replace(path, lambda group: group.create_dataset("0", (2,), h5py.vlen_dtype("float32")))
    _refused(path, "neither numbers nor text")


def test_references(path):
    _replace(path, lambda group: group.create_dataset("0", (2,), h5py.ref_dtype))
    _refused(path, "neither numbers nor text")


def test_compound_types(path):
    _replace(path, lambda group: group.create_dataset("0", (2,), np.dtype([("a", "f4"), ("b", "f4")])))
    _refused(path, "neither numbers nor text")


def test_named_types(path):
    with h5py.File(path, "a") as file:
        file["layers/type"] = np.dtype("float32")
    _refused(path, "neither a group nor an array")


def test_references_in_attributes(path):
    with h5py.File(path, "a") as file:
        file["layers/dense"].attrs.create("x", file["layers"].ref, dtype=h5py.ref_dtype)
    _refused(path, "neither numbers nor text")


def test_deep_groups(path):
    with h5py.File(path, "a") as file:
        file.create_group("/".join(["g"] * 300))
    _refused(path, "nested")


def test_false_dtype_names(path):
    for name in ("float64", "object", "O", "no_such_type"):
        with h5py.File(path, "w") as file:
            data = file.create_dataset("layers/dense/vars/0", data=np.zeros((4, 3), "V2"))
            data.attrs["dtype"] = name
            file["layers/dense/vars/1"] = np.zeros(3, "float32")
        with pytest.raises(ValueError):
            ksave.load_weights(small_model(), path)


def test_truncated(path):
    whole = path.read_bytes()
    for length in (50, 1000, len(whole) - 10):
        path.write_bytes(whole[:length])
        with pytest.raises(ksave.CorruptFileError):
            ksave.load_weights(small_model(), path)


def test_flipped_bytes_never_do_worse_than_an_error(path):
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(150):
        data = bytearray(whole)
        for at in rng.integers(0, len(whole), 3):
            data[at] ^= int(rng.integers(1, 256))
        path.write_bytes(data)
        with contextlib.suppress(ValueError):
            ksave.load_weights(small_model(), path)


def test_object_count(path):
    with pytest.raises(ksave.UnsafeFileError, match="objects"):
        open_checked(str(path), limits=Limits(hdf5_objects=3))


def test_index_of_shards_stays_in_its_folder(tmp_path):
    for name in ("../x.weights.h5", "/etc/passwd", "sub/x.weights.h5"):
        (tmp_path / "m.weights.json").write_text(json.dumps({"weight_map": {"/vars": [name]}}))
        with pytest.raises(ValueError):
            ksave.load_weights(small_model(), tmp_path / "m.weights.json")
    (tmp_path / "m.weights.json").write_text("[]")
    with pytest.raises(ksave.CorruptFileError, match="weight_map"):
        ksave.load_weights(small_model(), tmp_path / "m.weights.json")
