"""A part of an open file as a file of its own, so that HDF5 reads and writes inside a zip without a copy."""

from __future__ import annotations

import io
import os
from typing import Any, Callable

from ksave.checksums import LongChecksum, Pieces, ShortChecksum

_STEP = 1 << 18  # bytes at a time: what is summed is still in the cache of the core
_LARGE = 1 << 17  # from here on a piece gets a checksum of its own
_LONG = 2 << 20  # from here on a piece is divided between threads, and `LongChecksum` is the faster one
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
        return len(view)

    def check(self) -> None:
        """Raise the error that writing met, if any."""
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
        self._pool: Any = None

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

    def _pass(self, view: memoryview, mover: Callable[[], Callable[[memoryview, int], memoryview]]) -> int:
        """Move bytes between `view` and this place of the file; each mover says which it moved."""
        half = len(view)
        if half >= _LONG and _POSITIONED:
            half = half // 2 // 8 * 8
        task = self._other(self._half, view[half:], self._at + half, mover()) if half < len(view) else None
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
        checksum = LongChecksum() if len(view) >= _LONG // 2 else ShortChecksum()
        for start in range(0, len(view), _STEP):
            part = view[start : start + _STEP]
            moved = move(part, at + start)
            if len(moved) < len(part):
                return start + len(moved), 0
            checksum.update(moved)
        return len(view), checksum.value()

    def _other(self, function: Any, *args: Any) -> Any:
        """Run a function in a second thread."""
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(1)
        return self._pool.submit(function, *args)

    def checksum(self) -> int:
        """The CRC-32 of all of it; what did not pass through is read now.

        Raises:
            EOFError: the file is shorter than the window.
        """

        def read(start: int, count: int) -> memoryview:
            part = memoryview(bytearray(count))
            return part[: self._fill(part, start)]

        return self._pieces.total(self._length(), read)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
        super().close()
