"""A part of an open file as a file of its own, so that HDF5 reads and writes inside a zip without a copy."""

from __future__ import annotations

import io
from typing import Any, BinaryIO


class Window(io.RawIOBase):
    """`size` bytes of `file` from `start` on; with `size=None` to the end, growing when written.

    Args:
        file: a seekable binary file; nobody else may use it meanwhile.
        start: where the window begins.
        size: its length, or None for one that can be written.
    """

    def __init__(self, file: BinaryIO, start: int, size: int | None = None) -> None:
        self._file = file
        self._start = start
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return self._size is None

    def seekable(self) -> bool:
        return True

    def _length(self) -> int:
        if self._size is not None:
            return self._size
        return max(self._file.seek(0, io.SEEK_END) - self._start, 0)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: 0}[whence]
        if whence == io.SEEK_END:
            base = self._length()
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        left = max(self._length() - self._at, 0)
        view = view[: min(len(view), left)]
        self._file.seek(self._start + self._at)
        done = 0
        while done < len(view):
            count = self._file.readinto(view[done:])  # type: ignore[attr-defined]
            if not count:
                break
            done += count
        self._at += done
        return done

    def write(self, data: Any) -> int:
        self._file.seek(self._start + self._at)
        view = memoryview(data).cast("B")
        self._file.write(view)
        self._at += len(view)
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        size = self._at if size is None else size
        self._file.truncate(self._start + size)
        return size

    def flush(self) -> None:
        if self._size is None:
            self._file.flush()
