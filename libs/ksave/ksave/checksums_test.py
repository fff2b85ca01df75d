from __future__ import annotations

import zlib

import numpy as np
import pytest

from ksave.checksums import Pieces, combine


def noise(size, seed=0):
    return np.random.default_rng(seed).integers(0, 256, size, dtype="u1").tobytes()


@pytest.mark.parametrize("sizes", [(0, 0), (0, 5), (5, 0), (3, 4), (1000, 100_001), (70_000, 1)])
def test_pieces_one_after_the_other(sizes):
    first, second = noise(sizes[0], 1), noise(sizes[1], 2)
    assert combine(zlib.crc32(first), zlib.crc32(second), len(second)) == zlib.crc32(first + second)


def test_combining_reaches_over_gigabytes():
    # A checksum of 5 GB of zeros by doubling, against a combination in one step.
    checksum, size = zlib.crc32(bytes(5 << 20)), 5 << 20
    while size < 5 << 30:
        checksum, size = combine(checksum, checksum, size), 2 * size
    assert combine(zlib.crc32(b"x"), checksum, size) == _zeros(zlib.crc32(b"x"), size)


def _zeros(checksum, size):
    block = bytes(64 << 20)
    return zlib.crc32(block, checksum) if size == len(block) else _by_squaring(checksum, size)


def _by_squaring(checksum, size):
    """Append zeros by an independent method: the matrix of one zero bit, squared again and again."""
    register = checksum ^ 0xFFFFFFFF
    columns = [(1 << i >> 1) ^ (0xEDB88320 if i == 0 else 0) for i in range(32)]

    def apply(matrix, vector):
        result = 0
        for i in range(32):
            if vector >> i & 1:
                result ^= matrix[i]
        return result

    bits = 8 * size
    while bits:
        if bits & 1:
            register = apply(columns, register)
        columns = [apply(columns, column) for column in columns]
        bits >>= 1
    return register ^ 0xFFFFFFFF


def test_pieces_in_any_order_with_holes_and_overlaps():
    data = noise(10_000)
    pieces = Pieces()

    def add(start, end):
        pieces.add(start, end - start, zlib.crc32(data[start:end]))

    add(5000, 6000)
    add(100, 300)
    add(300, 400)
    add(9000, 10_000)
    pieces.add(250, 200, 1)  # overlaps what is known
    pieces.add(5500, 10, 1)
    pieces.add(4900, 200, 1)
    pieces.add(50, 9000, 1)
    read = []

    def fetch(start, count):
        read.append((start, count))
        return data[start : start + count]

    assert pieces.total(len(data), fetch) == zlib.crc32(data)
    assert read == [(0, 100), (400, 4600), (6000, 3000)]
    pieces.forget(5999, 2)
    pieces.forget(350, 10)
    read.clear()
    assert pieces.total(len(data), fetch) == zlib.crc32(data)
    assert read == [(0, 100), (300, 8700)]
    with pytest.raises(EOFError):
        Pieces().total(3, lambda start, count: b"")
    assert Pieces().total(0, fetch) == 0
