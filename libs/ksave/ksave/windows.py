"""A part of an open file as a file of its own, so that HDF5 reads and writes inside a zip without a copy."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, Callable

from ksave.checksums import Pieces, crc32

_STEP = 1 << 18  # bytes at a time: what is summed is still in the cache of the core
_LARGE = 1 << 17  # from here on a piece gets a checksum of its own
_SYNC = 16 << 20  # bytes after which the disk is set to work while more are written
_LONG = 2 << 20  # from here on a piece is divided between threads
_POSITIONED = hasattr(os, "preadv") and hasattr(os, "pwrite")


class Window(io.RawIOBase):
    """`size` bytes of `file` from `start` on, to be read; with `size=None` an empty one, to be written.

    HDF5 cannot live with a file that fails when it writes: it keeps what it could not write and crashes with it
    later. So an error while writing is kept in `error`, what is written after it is dropped, and whoever closes
    the HDF5 file calls `check`.

    Args:
        file: a seekable unbuffered file; nobody else may use it meanwhile.
        start: where the window begins.
        size: its length, or None for one that is written.
    """

    def __init__(self, file: io.FileIO, start: int, size: int | None = None) -> None:
        self._file = file
        self._start = start
        self._size = size
        self._at = 0
        self._end = 0  # of what was written
        self._waiting = 0  # bytes that no sync covers
        self._sync: Any = None
        self._pools: dict[str, Any] = {}
        self.error: BaseException | None = None

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return self._size is None

    def seekable(self) -> bool:
        return True

    def _length(self) -> int:
        return self._end if self._size is None else self._size

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
        count = self._fill(view[: min(len(view), left)], self._at)
        self._at += count
        return count

    def _fill(self, view: memoryview, at: int) -> int:
        """Read from a place on until `view` is full or the file ends."""
        done = 0
        while done < len(view):
            if _POSITIONED:
                count = os.preadv(self._file.fileno(), [view[done:]], self._start + at + done)
            else:
                self._file.seek(self._start + at + done)
                count = self._file.readinto(view[done:]) or 0
            if not count:
                break
            done += count
        return done

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        if self.error is None:
            try:
                self._put_all(view)
            except BaseException as error:
                self.error = error
        self._at += len(view)
        self._end = max(self._end, self._at)
        self._waiting += len(view)
        if self._waiting >= _SYNC and self._synced(wait=False):
            self._waiting = 0
            self._sync = self._aside("sync", os.fsync, self._file.fileno())
        return len(view)

    def _synced(self, wait: bool) -> bool:
        """Whether no sync is going on. What went wrong with one, the system says only once."""
        if self._sync is not None and (wait or self._sync.done()):
            error, self._sync = self._sync.exception(), None
            self.error = self.error or error
        return self._sync is None

    def _aside(self, role: str, function: Any, *args: Any) -> Any:
        """Run a function in a thread of this role."""
        if role not in self._pools:
            from concurrent.futures import ThreadPoolExecutor

            self._pools[role] = ThreadPoolExecutor(1)
        return self._pools[role].submit(function, *args)

    def check(self) -> None:
        """Raise the error that writing met, if any."""
        self._synced(wait=False)
        if self.error is not None:
            raise self.error

    def _put_all(self, view: memoryview) -> None:
        """Write to this place."""
        self._put(view, self._at)

    def _put(self, view: memoryview, at: int) -> None:
        done = 0
        while done < len(view):  # the system may take a part only
            if _POSITIONED:
                done += os.pwrite(self._file.fileno(), view[done:], self._start + at + done)
            else:
                self._file.seek(self._start + at + done)
                done += self._file.write(view[done:]) or 0

    def truncate(self, size: int | None = None) -> int:
        size = self._at if size is None else size
        if self.error is None:
            try:
                self._file.truncate(self._start + size)
            except BaseException as error:
                self.error = error
        self._end = size
        return size

    def close(self) -> None:
        if not self.closed:
            self._synced(wait=True)
            for pool in self._pools.values():
                pool.shutdown()
            self._file.close()
        super().close()


class SummedWindow(Window):
    """A window that knows the CRC-32 of what passed through it.

    Large pieces are summed on their way, by two threads; small ones, which are often written again, are read once
    more at the end.
    """

    def __init__(self, file: io.FileIO, start: int, size: int | None = None) -> None:
        super().__init__(file, start, size)
        self._pieces = Pieces()

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        if not _LARGE <= len(view) <= self._length() - self._at:
            return super().readinto(view)

        def read(part: memoryview, at: int) -> memoryview:
            return part[: self._fill(part, at)]

        count = self._pass(view, lambda: read)
        self._at += count
        return count

    def _put_all(self, view: memoryview) -> None:
        self._pieces.forget(self._at, len(view))
        if len(view) < _LARGE:
            super()._put_all(view)
            return

        def writer() -> Callable[[memoryview, int], memoryview]:
            # A copy is summed and written: other threads may go on changing the variable, which makes its value
            # uncertain but must not give the file a wrong checksum.
            copy = memoryview(bytearray(_STEP))

            def write(part: memoryview, at: int) -> memoryview:
                copy[: len(part)] = part
                self._put(copy[: len(part)], at)
                return copy[: len(part)]

            return write

        self._pass(view, writer)

    def truncate(self, size: int | None = None) -> int:
        size = super().truncate(size)
        self._pieces.forget(size, sys.maxsize)  # HDF5 gives back what was deleted at the end
        return size

    def _pass(self, view: memoryview, mover: Callable[[], Callable[[memoryview, int], memoryview]]) -> int:
        """Move bytes between `view` and this place of the file; each mover says which it moved."""
        half = len(view)
        if half >= _LONG and _POSITIONED:
            half //= 2
        task = self._aside("sum", self._half, view[half:], self._at + half, mover()) if half < len(view) else None
        try:
            count, checksum = self._half(view[:half], self._at, mover())
        finally:
            more, other = task.result() if task else (0, 0)
        if count == half and count + more == len(view):  # else the file ended
            self._pieces.add(self._at, half, checksum)
            self._pieces.add(self._at + half, more, other)
        return count + more if count == half else count

    def _half(self, view: memoryview, at: int, move: Callable[[memoryview, int], memoryview]) -> tuple[int, int]:
        """Move one part; bytes that were moved, and their checksum."""
        checksum = 0
        for start in range(0, len(view), _STEP):
            part = view[start : start + _STEP]
            moved = move(part, at + start)
            if len(moved) < len(part):
                return start + len(moved), 0
            checksum = crc32(moved, checksum)
        return len(view), checksum

    def checksum(self) -> int:
        """The CRC-32 of all of it; what did not pass through is read now.

        Raises:
            EOFError: the file is shorter than the window.
        """

        def read(start: int, count: int) -> memoryview:
            part = memoryview(bytearray(count))
            return part[: self._fill(part, start)]

        return self._pieces.total(self._length(), read)
