"""What can be done to arrays outside HDF5: `.npy` members of `.npz` files, and safetensors."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def _npy(header: str, body: bytes = b"") -> bytes:
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


def _saved(array: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


class _Runs:
    def __reduce__(self) -> Any:
        import os

        return os.system, ("true",)


# The content of a member in the place of an array.
NPY: dict[str, bytes] = {
    "pickled_objects": _saved(np.array([_Runs()], dtype=object), allow_pickle=True),
    "bare_pickle": b"\x80\x04cos\nsystem\n(S'true'\ntR.",
    "shape_bomb": _npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1048576, 1048576), }", bytes(64)),
    "shape_that_wraps_around": _npy("{'descr': '<f4', 'fortran_order': False, 'shape': (8589934592, 8589934592), }"),
    "long_texts": _npy("{'descr': '<U1000000000', 'fortran_order': False, 'shape': (2,), }", bytes(64)),
    "arrays_of_arrays": _npy("{'descr': ('<f4', (30000, 30000)), 'fortran_order': False, 'shape': (1,), }", bytes(64)),
    "code_in_the_header": _npy("{'descr': __import__('os').system('true'), 'fortran_order': False, 'shape': ()}"),
    "deep_header": _npy("(" * 100),
    "long_header": b"\x93NUMPY\x02\x00" + struct.pack("<I", 1 << 30) + b" " * 1000,
    "negative_shape": _npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-4,), }", bytes(64)),
    "empty_shape_that_no_array_has": _npy(f"{{'descr': '<f4', 'fortran_order': False, 'shape': (0, {1 << 90}), }}"),
    "more_dimensions_than_any_array": _npy(f"{{'descr': '|u1', 'fortran_order': False, 'shape': {(1,) * 33}, }}", b"1"),
    "records": _npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", bytes(64)),
    "no_array": b"hello",
    "cut_short": _saved(np.ones((4, 3), "float32"))[:-10],
}


def _safetensors(header: Any, body: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + body


def _entry(kind: str, shape: list[Any], start: Any, end: Any) -> dict[str, Any]:
    return {"dtype": kind, "shape": shape, "data_offsets": [start, end]}


SAFETENSORS: dict[str, Callable[[], bytes]] = {
    "header_beyond_the_file": lambda: _safetensors({}, length=1 << 62),
    "header_beyond_measure": lambda: _safetensors({}, bytes(100), length=1 << 27),
    "shape_bomb": lambda: _safetensors({"a": _entry("F32", [1 << 20, 1 << 20], 0, 64)}, bytes(64)),
    "shape_that_wraps_around": lambda: _safetensors({"a": _entry("F32", [1 << 33, 1 << 33], 0, 16)}, bytes(16)),
    "beyond_the_end": lambda: _safetensors({"a": _entry("F32", [1 << 30], 0, 4 << 30)}, bytes(64)),
    "overlap": lambda: _safetensors({"a": _entry("F32", [4], 0, 16), "b": _entry("F32", [4], 8, 24)}, bytes(24)),
    "backwards": lambda: _safetensors({"a": _entry("F32", [4], 16, 0)}, bytes(16)),
    "negative": lambda: _safetensors({"a": _entry("F32", [-4], -16, 0)}, bytes(16)),
    "nan": lambda: _safetensors(b'{"a": {"dtype": "F32", "shape": [NaN], "data_offsets": [0, 4]}}', bytes(4)),
    "empty_shape_that_no_array_has": lambda: _safetensors({"a": _entry("F32", [0, 1 << 62, 1 << 62], 0, 0)}),
    "more_dimensions_than_any_array": lambda: _safetensors({"a": _entry("U8", [1] * 33, 0, 1)}, bytes(1)),
    "names_that_are_no_object": lambda: _safetensors({"__metadata__": {"keras_names": "[1]"}}),
    "dtype_that_is_no_text": lambda: _safetensors({"a": {"dtype": [1], "shape": [], "data_offsets": [0, 4]}}, bytes(4)),
    "unknown_dtype": lambda: _safetensors({"a": _entry("O", [1], 0, 8)}, bytes(8)),
    "key_twice": lambda: _safetensors(
        b'{"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},'
        b'"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}',
        bytes(1),
    ),
    "deep": lambda: _safetensors(b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}"),
    "no_object": lambda: _safetensors([1, 2]),
    "no_entry": lambda: _safetensors({"a": 3}),
    "pickle": lambda: b"\x80\x04cos\nsystem\n(S'true'\ntR.",
}

# Its header is right; whoever reads no values does not meet what is wrong.
NOT_OPENED_BY_ALL: set[str] = set()


def replace_npy(path: Path, content: bytes) -> None:
    """Put this in the place of the first array of an `.npz` file."""
    with zipfile.ZipFile(path) as source:
        members = {name: source.read(name) for name in source.namelist()}
    members[next(iter(members))] = content
    with zipfile.ZipFile(path, "w") as target:
        for name, member in members.items():
            target.writestr(name, member)
