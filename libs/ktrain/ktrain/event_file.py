"""TensorBoard's event files: records of Event messages, written without TensorFlow.

A record is the length of its data, a masked CRC-32C of the length, the data, and a masked CRC-32C of the data. The data
is a protocol buffer; only the few fields that scalars, texts and histograms need are written.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from typing import Any

import numpy as np


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _crc_table()


def crc32c(data: bytes) -> int:
    """The Castagnoli checksum."""
    value = 0xFFFFFFFF
    for byte in data:
        value = (value >> 8) ^ _TABLE[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


def masked_crc(data: bytes) -> bytes:
    """The checksum as records hold it: rotated and shifted, so that checksums of checksums are no weakness."""
    value = crc32c(data)
    return struct.pack("<I", ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data: bytes) -> bytes:
    """One record of a file."""
    length = struct.pack("<Q", len(data))
    return length + masked_crc(length) + data + masked_crc(data)


# Protocol buffers: a field is its number and wire type, then the value.


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _int(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _double(field: int, value: float) -> bytes:
    return _varint(field << 3 | 1) + struct.pack("<d", value)


def _float(field: int, value: float) -> bytes:
    return _varint(field << 3 | 5) + struct.pack("<f", value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _packed_doubles(field: int, values: Any) -> bytes:
    return _bytes(field, np.asarray(values, "<f8").tobytes())


def scalar(tag: str, value: float) -> bytes:
    """A Summary with one simple value."""
    return _bytes(1, _bytes(1, tag.encode()) + _float(2, float(value)))


def histogram(tag: str, values: np.ndarray, bins: int = 30) -> bytes:
    """A Summary with one histogram."""
    values = np.asarray(values, "float64").ravel()
    values = values[np.isfinite(values)]
    if not values.size:
        values = np.zeros(1)
    counts, edges = np.histogram(values, bins)
    message = (
        _double(1, values.min()) + _double(2, values.max()) + _double(3, values.size) + _double(4, values.sum())
        + _double(5, float(np.square(values).sum())) + _packed_doubles(6, edges[1:]) + _packed_doubles(7, counts)
    )  # fmt: skip
    return _bytes(1, _bytes(1, tag.encode()) + _bytes(5, message))


class EventFile:
    """A new event file in a folder.

    Args:
        folder: made when it is not there.
    """

    def __init__(self, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        unique = f"{os.getpid()}.{time.time_ns() % 10**6}"
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{unique}.v2"
        self.path = os.path.join(folder, name)
        self._file = open(self.path, "wb")  # noqa: SIM115
        self._write(_double(1, time.time()) + _bytes(3, b"brain.Event:2"))

    def _write(self, event: bytes) -> None:
        self._file.write(record(event))

    def add(self, summary: bytes, step: int) -> None:
        """Write a Summary (see `scalar` and `histogram`)."""
        self._write(_double(1, time.time()) + _int(2, step) + _bytes(5, summary))

    def flush(self) -> None:
        """Let readers see what was written."""
        self._file.flush()

    def close(self) -> None:
        """Finish the file."""
        self._file.close()
