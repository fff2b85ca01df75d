"""The CRC-32 of a file from the pieces in which it is written or read, so that it costs no pass of its own.

Checksums are polynomials over GF(2): that of two pieces one after the other is the first one's times a power of
x, plus the second one's. So the pieces may come in any order, and each is summed while it is in memory anyway.
"""

from __future__ import annotations

import bisect
import functools
from typing import Any, Callable

_POLYNOMIAL = 0xEDB88320  # of zip, with the bits reversed: the highest bit is the power zero
_ONE = 1 << 31


@functools.lru_cache(maxsize=1)
def _fastest() -> Callable[[Any, int], int]:
    try:
        from isal.isal_zlib import crc32  # by the vector instructions of the processor: three times as fast
    except ModuleNotFoundError:
        from zlib import crc32
    return crc32  # type: ignore[no-any-return]


def crc32(data: Any, value: int = 0) -> int:
    """The CRC-32 of bytes that go on after those that `value` is of."""
    return _fastest()(data, value)


def _times(a: int, b: int) -> int:
    product = 0
    while a:
        if a & _ONE:
            product ^= b
        a = (a << 1) & 0xFFFFFFFF
        b = (b >> 1) ^ (_POLYNOMIAL if b & 1 else 0)
    return product


@functools.lru_cache(maxsize=1024)
def _power(count: int) -> int:
    """x to the power of `count`: what as many bits that follow do to a checksum."""
    result, square = _ONE, _ONE >> 1
    while count:
        if count & 1:
            result = _times(square, result)
        square = _square(square)
        count >>= 1
    return result


@functools.lru_cache(maxsize=64)
def _square(a: int) -> int:
    return _times(a, a)


def combine(first: int, second: int, size: int) -> int:
    """The checksum of two pieces of data one after the other, from those of the pieces.

    Args:
        first, second: what `zlib.crc32` says of them.
        size: bytes in the second.

    Example:
        >>> combine(zlib.crc32(b"ab"), zlib.crc32(b"cde"), 3) == zlib.crc32(b"abcde")
        True
    """
    return _times(_power(8 * size), first) ^ second


class Pieces:
    """Checksums of the pieces of a file that were seen so far; no two of them overlap."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._pieces: dict[int, tuple[int, int]] = {}  # start: size, checksum

    def add(self, start: int, size: int, checksum: int) -> None:
        """Note a piece, unless it overlaps one that is known."""
        at = bisect.bisect_left(self._starts, start)
        before = self._starts[at - 1] + self._pieces[self._starts[at - 1]][0] if at else 0
        after = self._starts[at] if at < len(self._starts) else start + size
        if size and before <= start and start + size <= after:
            self._starts.insert(at, start)
            self._pieces[start] = size, checksum

    def forget(self, start: int, size: int) -> None:
        """Drop the pieces that `size` bytes from `start` on are written over."""
        at = max(bisect.bisect_right(self._starts, start) - 1, 0)
        while at < len(self._starts) and self._starts[at] < start + size:
            if self._starts[at] + self._pieces[self._starts[at]][0] > start:
                del self._pieces[self._starts.pop(at)]
            else:
                at += 1

    def total(self, size: int, read: Callable[[int, int], Any]) -> int:
        """The checksum of `size` bytes; `read(start, count)` gives the parts that were not seen.

        Parts come in order and are at most a megabyte long.
        """
        checksum, at = 0, 0
        for start in [*self._starts, size]:
            while at < start:
                part = read(at, min(start - at, 1 << 20))
                if not len(part):
                    raise EOFError(f"the file ends at {at} bytes of {size}")
                checksum = crc32(part, checksum)
                at += len(part)
            if start < size:
                count, own = self._pieces[start]
                checksum = combine(checksum, own, count)
                at += count
        return checksum
