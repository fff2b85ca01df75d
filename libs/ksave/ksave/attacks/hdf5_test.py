"""HDF5 files as weights: what is not in the matrix of attacks."""

from __future__ import annotations

import contextlib

import h5py
import numpy as np
import pytest

import ksave
from ksave.hdf5 import open_checked
from ksave.limits import Limits
from ksave.tests.fake_layers import small_model


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "m.weights.h5"
    ksave.save_weights(small_model(), path)
    return path


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
