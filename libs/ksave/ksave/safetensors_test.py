from __future__ import annotations

import json

import ml_dtypes
import numpy as np
import pytest

from ksave import CorruptFileError, UnsafeFileError, safetensors

ARRAYS = {
    "a/vars/0": np.arange(6, dtype="float32").reshape(2, 3),
    "b": np.array(True),
    "half": np.array([1.5, -2], ml_dtypes.bfloat16),
    "eight": np.array([0.5], ml_dtypes.float8_e4m3fn),
    "none": np.zeros((0, 4), "int64"),
}


def _write(path, arrays=ARRAYS, **options):
    described = {name: (array.dtype.name, array.shape) for name, array in arrays.items()}
    safetensors.write(str(path), described, arrays.values(), **options)
    return str(path)


def _raw(path, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return str(path)


def test_there_and_back(tmp_path):
    path = _write(tmp_path / "x.safetensors", metadata={"format": "keras"})
    with safetensors.SafetensorsReader(path) as reader:
        assert reader.metadata == {"format": "keras"} and list(reader.entries) == list(ARRAYS)
        for name, array in ARRAYS.items():
            read = reader.read(name)
            assert read.dtype == array.dtype and read.shape == array.shape
            assert read.tobytes() == array.tobytes()


def test_the_bytes_are_those_of_the_format(tmp_path):
    path = _write(tmp_path / "x.safetensors", {"w": np.array([1, 2], "<u2")})
    raw = open(path, "rb").read()  # noqa: SIM115
    length = int.from_bytes(raw[:8], "little")
    assert length % 8 == 0
    assert json.loads(raw[8 : 8 + length]) == {"w": {"dtype": "U16", "shape": [2], "data_offsets": [0, 4]}}
    assert raw[8 + length :] == b"\1\0\2\0"


def test_the_reference_reads_and_writes_the_same(tmp_path):
    reference = pytest.importorskip("safetensors.numpy")
    plain = {name: array for name, array in ARRAYS.items() if array.dtype.type.__module__ != "ml_dtypes"}
    theirs = reference.load_file(_write(tmp_path / "ours.safetensors", plain))
    assert all((theirs[name] == array).all() for name, array in plain.items())
    reference.save_file(plain, tmp_path / "theirs.safetensors")
    with safetensors.SafetensorsReader(str(tmp_path / "theirs.safetensors")) as reader:
        assert all((reader.read(name) == array).all() for name, array in plain.items())


def _one(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.mark.parametrize(
    ("header", "error", "words"),
    [
        (b"[]", CorruptFileError, "no JSON object"),
        (b"{", CorruptFileError, "not valid JSON"),
        ({"w": _one(dtype="F33")}, CorruptFileError, "has the dtype 'F33'"),
        ({"w": _one(shape=(3,))}, CorruptFileError, "do not fit"),
        ({"w": _one(shape=(1 << 40,), offsets=(0, 1 << 42))}, CorruptFileError, "ends beyond the file"),
        ({"w": _one(shape=(-2,))}, CorruptFileError, "no sizes"),
        ({"w": _one(shape=(True,))}, CorruptFileError, "no sizes"),
        ({"w": _one(offsets=(8, 0))}, CorruptFileError, "do not fit"),
        ({"w": {**_one(), "pickle": 1}}, CorruptFileError, "does not say"),
        ({"w": _one(), "v": _one(offsets=(4, 12))}, UnsafeFileError, "overlaps"),
        ({"__metadata__": {"a": 1}}, CorruptFileError, "metadata"),
        (b'{"w": 1, "w": 2}', UnsafeFileError, "stands twice"),
    ],
)
def test_what_is_refused(tmp_path, header, error, words):
    with pytest.raises(error, match=words):
        safetensors.SafetensorsReader(_raw(tmp_path / "x.safetensors", header, bytes(16)))


def test_files_that_are_cut_short(tmp_path):
    whole = open(_write(tmp_path / "x.safetensors"), "rb").read()  # noqa: SIM115
    for size in (0, 4, 8, 100, len(whole) - 1):
        (tmp_path / "y.safetensors").write_bytes(whole[:size])
        with pytest.raises(CorruptFileError, match="cut short"):
            safetensors.SafetensorsReader(str(tmp_path / "y.safetensors"))
    (tmp_path / "y.safetensors").write_bytes((1 << 60).to_bytes(8, "little") + b"{}")
    with pytest.raises(CorruptFileError, match="cut short"):
        safetensors.SafetensorsReader(str(tmp_path / "y.safetensors"))


def test_dtypes_that_the_format_lacks(tmp_path):
    with pytest.raises(ValueError, match="w is of dtype int4"):
        _write(tmp_path / "x.safetensors", {"w": np.zeros(2, ml_dtypes.int4)})
