"""Files of the safetensors format: eight bytes of length, a JSON header, then the bytes of all arrays.

The format has no code and no compression in it, so reading it safely is a matter of looking at the header
first: every array must lie inside the file, have the size that its shape and dtype say, and no two may overlap.
See https://github.com/huggingface/safetensors for the format.
"""

from __future__ import annotations

import importlib
import json
import math
import os
from typing import Any, BinaryIO, Iterable, Mapping, NamedTuple

from ksave import checked_json
from ksave.codecs import numpy_dtype
from ksave.limits import DEFAULT, CorruptFileError, Limits, UnsafeFileError, check_array

_HEADER_BYTES = 100_000_000  # what the reference implementation allows
_DTYPES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "U16": "uint16",
    "I16": "int16",
    "U32": "uint32",
    "I32": "int32",
    "U64": "uint64",
    "I64": "int64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
    "F8_E8M0": "float8_e8m0fnu",
}
_NAMES = {name: code for code, name in _DTYPES.items()}
_METADATA = "__metadata__"


class Entry(NamedTuple):
    """Where an array stands in the file."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    stop: int


class SafetensorsReader:
    """The arrays of a safetensors file, each read when it is asked for.

    Args:
        path: the file.
        limits: bounds on the header.

    Raises:
        CorruptFileError: damaged, cut short or of another kind.
        UnsafeFileError: arrays overlap, or the header is too large.
    """

    def __init__(self, path: str, limits: Limits = DEFAULT) -> None:
        self.path = path
        self._file: BinaryIO = open(path, "rb")  # noqa: SIM115
        try:
            self.metadata, self.entries = self._header(limits)
        except BaseException:
            self._file.close()
            raise

    def _header(self, limits: Limits) -> tuple[dict[str, str], dict[str, Entry]]:
        size = os.path.getsize(self.path)
        length = int.from_bytes(self._file.read(8), "little")
        if size < 8 or length > size - 8:
            raise CorruptFileError(f"{self.path} is no safetensors file, or it is cut short.")
        if length > min(_HEADER_BYTES, limits.json_bytes):
            raise UnsafeFileError(f"{self.path}: the header has {length} bytes; that is too much.")
        header = checked_json.loads(self._file.read(length), f"{self.path}: the header", limits)
        if not isinstance(header, dict):
            raise CorruptFileError(f"{self.path}: the header is no JSON object.")
        metadata = header.pop(_METADATA, {})
        if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
            raise CorruptFileError(f"{self.path}: the metadata is not of texts.")
        entries = {name: self._entry(name, record, 8 + length, size) for name, record in header.items()}
        end = 8 + length
        for name, entry in sorted(entries.items(), key=lambda item: (item[1].start, item[1].stop)):
            if entry.start < end:
                raise UnsafeFileError(f"{self.path}: {name!r} overlaps another array.")
            end = entry.stop
        return metadata, entries

    def _entry(self, name: str, record: Any, base: int, size: int) -> Entry:
        where = f"{self.path}: {name!r}"
        if not isinstance(record, dict) or set(record) != {"dtype", "shape", "data_offsets"}:
            raise CorruptFileError(f"{where} does not say dtype, shape and data_offsets, and nothing else.")
        if not isinstance(record["dtype"], str) or record["dtype"] not in _DTYPES:
            raise CorruptFileError(f"{where} has the dtype {record['dtype']!r}. Known: {', '.join(_DTYPES)}.")
        shape, offsets = record["shape"], record["data_offsets"]
        for numbers in (shape, offsets):
            if not isinstance(numbers, list) or not all(
                isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 1 << 63 for number in numbers
            ):
                raise CorruptFileError(f"{where} has a shape or offsets that are no sizes: {numbers}.")
        dtype = _DTYPES[record["dtype"]]
        check_array(shape, numpy_dtype(dtype).itemsize, where)
        if len(offsets) != 2 or offsets[1] - offsets[0] != math.prod(shape) * numpy_dtype(dtype).itemsize:
            raise CorruptFileError(f"{where} has offsets {offsets}, which do not fit {dtype} of {shape}.")
        if base + offsets[1] > size:
            raise CorruptFileError(f"{where} ends beyond the file, which is cut short.")
        return Entry(dtype, tuple(shape), base + offsets[0], base + offsets[1])

    def read(self, name: str) -> Any:
        """The array of this name."""
        entry = self.entries[name]
        numpy = importlib.import_module("numpy")
        array = numpy.empty(entry.shape, numpy_dtype(entry.dtype))
        self._file.seek(entry.start)
        if entry.stop > entry.start:
            view = memoryview(array.reshape(-1).view("uint8"))
            if self._file.readinto(view) != len(view):  # type: ignore[attr-defined]
                raise CorruptFileError(f"{self.path} is cut short.")
        return array

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> SafetensorsReader:
        return self

    def __exit__(self, *args: Any) -> None:
        self.close()


def write(
    path: str,
    arrays: Mapping[str, tuple[str, tuple[int, ...]]],
    values: Iterable[Any],
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write a safetensors file, one array after the other.

    Args:
        path: the file, written over.
        arrays: name to (dtype, shape), in the order of `values`.
        values: the arrays.
        metadata: texts that stand in the header.

    Raises:
        ValueError: the format has no such dtype.
    """
    header: dict[str, Any] = {_METADATA: dict(metadata)} if metadata else {}
    at = 0
    for name, (dtype, shape) in arrays.items():
        if dtype not in _NAMES:
            raise ValueError(f"{name} is of dtype {dtype}, which the safetensors format does not have.")
        size = math.prod(shape) * numpy_dtype(dtype).itemsize
        header[name] = {"dtype": _NAMES[dtype], "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)  # arrays are aligned
    numpy = importlib.import_module("numpy")
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for value in values:
            flat = numpy.ascontiguousarray(value).reshape(-1)
            if flat.dtype.byteorder == ">":
                flat = flat.astype(flat.dtype.newbyteorder("<"))
            file.write(memoryview(flat.view("uint8")))
