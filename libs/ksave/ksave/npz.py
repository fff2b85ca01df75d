"""Weights in `.npz` files: plain arrays named as in `.weights.h5` files, `layers/dense/vars/0`. Never pickles."""

from __future__ import annotations

import io
import json
import math
import os
import shutil
import tempfile
import zipfile
from tokenize import TokenError
from typing import Any, Iterator

import numpy as np

from ksave import archive, checked_json, hdf5
from ksave.codecs import numpy_dtype
from ksave.limits import DEFAULT, CorruptFileError, Limits, UnsafeFileError, check_array
from ksave.stores import Reader, ReadStore, Writer

# The names of dtypes that numpy has no code for, as JSON; those arrays hold their bits.
DTYPES = "__dtypes__"
_FORMAT = np.lib.format
_MAX_HEADER = 10_000  # what numpy parses


class NpzArray:
    """An array in a `.npz` file, read when it is asked for."""

    def __init__(self, source: Any, member: str, dtype: str | None) -> None:
        self._source = source
        self._member = member
        where = f"{source.path}: {member!r}"
        with source.open(member) as file:
            self.shape, stored = _header(file, where)
            room = source.size(member) - file.tell()
        self.dtype = numpy_dtype(dtype) if dtype is not None else stored
        if self.dtype.itemsize != stored.itemsize:
            raise CorruptFileError(f"{where} says it holds {dtype}, whose size is another.")
        self.nbytes = math.prod(self.shape) * self.dtype.itemsize
        if self.nbytes > room:
            raise CorruptFileError(f"{where} is shorter than its shape {self.shape}.")

    def read(self) -> Any:
        """The array itself."""
        with self._source.open(self._member) as file:
            return _FORMAT.read_array(file, allow_pickle=False).view(self.dtype)


def _header(file: Any, where: str) -> tuple[tuple[int, ...], Any]:
    try:
        start = file.read(12)
        version = _FORMAT.read_magic(io.BytesIO(start))
        # numpy would ask for all of the header at once, whatever length it claims.
        length = int.from_bytes(start[8:10] if version == (1, 0) else start[8:12], "little")
        if length > _MAX_HEADER:
            raise CorruptFileError(f"{where} claims a header of {length} bytes.")
        rest = file.read(length - 2 if version == (1, 0) else length)
        read = _FORMAT.read_array_header_1_0 if version == (1, 0) else _FORMAT.read_array_header_2_0
        shape, _, dtype = read(io.BytesIO(start[8:] + rest))
        if any(isinstance(size, bool) or size < 0 for size in shape):
            raise ValueError(f"its shape is {shape}")
        if dtype.itemsize < 0:  # of texts so long that older versions of numpy count around
            raise ValueError("its texts are longer than any")
        if dtype.subdtype or dtype.fields:
            raise ValueError("its elements are arrays or records")
    except (ValueError, SyntaxError, EOFError, TypeError, TokenError, RecursionError, MemoryError) as error:
        raise CorruptFileError(f"{where} is no .npy array ({error}).") from error
    if dtype.hasobject:
        raise UnsafeFileError(
            f"{where} holds Python objects, which can run any code when they are read. Weights are plain arrays; "
            "save them as .weights.h5 instead."
        )
    check_array(shape, dtype.itemsize, where)
    return shape, dtype


def read_arrays(source: archive.ZipReader) -> dict[str, NpzArray]:
    """The arrays of a checked `.npz` file by name.

    Raises:
        CorruptFileError: it holds other things than arrays.
        UnsafeFileError: it holds Python objects.
    """
    members = {name[: -len(".npy")]: name for name in source.names() if name.endswith(".npy")}
    if len(members) != len(source.names()):
        raise CorruptFileError(f"{source.path} is no .npz file: it has members that are no .npy arrays.")
    dtypes: Any = {}
    if DTYPES in members:
        text = str(NpzArray(source, members.pop(DTYPES), None).read()[()])
        dtypes = checked_json.loads(text, f"{source.path}: {DTYPES}")
        if not isinstance(dtypes, dict):
            raise CorruptFileError(f"{source.path}: {DTYPES} is no JSON object.")
    return {name: NpzArray(source, member, dtypes.get(name)) for name, member in members.items()}


class _NpzStore(ReadStore):
    def __init__(self, arrays: dict[str, NpzArray]) -> None:
        super().__init__({})
        self._arrays = arrays

    def __getitem__(self, key: str) -> Any:
        return self._arrays[key].read()

    def read_into(self, key: str, memory: Any) -> bool:
        return False

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def describe(self, key: str) -> tuple[tuple[int, ...], str, int]:
        array = self._arrays[key]
        return array.shape, array.dtype.name, array.nbytes

    def shape(self, key: str) -> tuple[int, ...] | None:
        return self._arrays[key].shape


class NpzReader(Reader):
    """Reads the weights of nodes from a `.npz` file."""

    def __init__(self, path: str, limits: Limits = DEFAULT, packed: int | None = None) -> None:
        super().__init__()
        self._folder: str | None = None  # of its own, when it was unpacked from an archive
        self._source = archive.ZipReader(path, limits, packed)
        try:
            self._nodes: dict[str, dict[str, NpzArray]] = {}
            for name, array in read_arrays(self._source).items():
                node, _, key = name.rpartition("vars/")
                self._nodes.setdefault(node.rstrip("/"), {})[key] = array
        except BaseException:
            self._source.close()
            raise

    @classmethod
    def inside(cls, source: Any, name: str) -> NpzReader:
        """The reader of a `.npz` file that is a member of an open archive."""
        folder = tempfile.mkdtemp()
        try:
            head, _, tail = name.rpartition(".")
            source.extract(f"{head}.", folder)
            reader = cls(os.path.join(folder, tail), source.limits, source.packed(name))
        except BaseException:
            shutil.rmtree(folder)
            raise
        reader._folder = folder
        return reader

    def store(self, path: str) -> ReadStore:
        return _NpzStore(self._nodes.get(path, {}))

    def name(self, path: str) -> str | None:
        return None

    def paths(self) -> dict[str, dict[str, tuple[int, ...]]]:
        return {path: {key: array.shape for key, array in node.items()} for path, node in self._nodes.items()}

    def nbytes(self) -> int:
        return sum(array.nbytes for node in self._nodes.values() for array in node.values())

    def verify(self) -> None:
        """Checksums were compared when the arrays were read."""

    def __contains__(self, path: str) -> bool:
        return any(node == path or node.startswith(f"{path}/") for node in self._nodes)

    def close(self) -> None:
        self._source.close()
        if self._folder is not None:
            shutil.rmtree(self._folder)
            self._folder = None


class NpzWriter(Writer):
    """Writes the weights of nodes to a `.npz` file without compression, one node at a time."""

    def __init__(self, target: Any) -> None:
        self._zip = zipfile.ZipFile(target, "w", zipfile.ZIP_STORED, allowZip64=True)
        self._path = ""
        self._node: dict[str, Any] = {}
        self._dtypes: dict[str, str] = {}

    def store(self, path: str, name: Any) -> Any:
        self._flush()
        self._path, self._node = path, {}
        return self._node

    def _flush(self) -> None:
        prefix = f"{self._path}/vars/" if self._path else "vars/"
        for key, value in self._node.items():
            self.put(f"{prefix}{key}", value)
        self._node = {}

    def put(self, name: str, value: Any) -> None:
        """Write an array under its full name."""
        array = hdf5.to_numpy(value)
        if array.dtype.type.__module__ == "ml_dtypes":
            self._dtypes[name] = array.dtype.name
            array = array.view(f"u{array.dtype.itemsize}")
        elif array.dtype.kind == "O":
            array = array.astype(str)
        self._write(name, array)

    def _write(self, name: str, array: Any) -> None:
        with self._zip.open(f"{name}.npy", "w", force_zip64=True) as file:
            _FORMAT.write_array(file, array, allow_pickle=False)

    def close(self) -> None:
        try:
            self._flush()
            if self._dtypes or not self._zip.filelist:  # a zip file without members would not be known as one
                self._write(DTYPES, np.array(json.dumps(self._dtypes)))
        finally:
            self._zip.close()
