"""Hash functions of bytes that files depend on: the same text must fall into the same bin everywhere.

`fingerprint64` is FarmHash's Fingerprint64 (Pike and Alakuijala, https://github.com/google/farmhash), and `siphash` is
SipHash-2-4 (Aumasson and Bernstein, 2012), which takes a key.
"""

from __future__ import annotations

import functools
import struct

_MASK = (1 << 64) - 1
_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F


def _rotate(x: int, count: int) -> int:
    x &= _MASK
    return ((x >> count) | (x << (64 - count))) & _MASK


def _mix(x: int) -> int:
    x &= _MASK
    return x ^ (x >> 47)


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 8], "little")


def _half(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _join(u: int, v: int, mul: int) -> int:
    a = _mix((u ^ v) * mul)
    b = _mix((v ^ a) * mul)
    return b * mul & _MASK


def _short(s: bytes) -> int:
    n = len(s)
    mul = _K2 + 2 * n
    if n >= 8:
        a, b = _word(s, 0) + _K2, _word(s, n - 8)
        c = _rotate(b, 37) * mul + a
        d = (_rotate(a, 25) + b) * mul
        return _join(c & _MASK, d & _MASK, mul)
    if n >= 4:
        return _join((n + (_half(s, 0) << 3)) & _MASK, _half(s, n - 4), mul)
    if n > 0:
        y = s[0] + (s[n >> 1] << 8)
        z = n + (s[n - 1] << 2)
        return _mix((y * _K2 ^ z * _K0) & _MASK) * _K2 & _MASK
    return _K2


def _middle(s: bytes) -> int:
    """17 to 32 bytes."""
    n = len(s)
    mul = _K2 + 2 * n
    a, b = _word(s, 0) * _K1, _word(s, 8)
    c, d = _word(s, n - 8) * mul, _word(s, n - 16) * _K2
    first = _rotate(a + b, 43) + _rotate(c, 30) + d
    second = a + _rotate(b + _K2, 18) + c
    return _join(first & _MASK, second & _MASK, mul)


def _longer(s: bytes) -> int:
    """33 to 64 bytes."""
    n = len(s)
    mul = _K2 + 2 * n
    a, b = _word(s, 0) * _K2, _word(s, 8)
    c, d = _word(s, n - 8) * mul, _word(s, n - 16) * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = _join(y & _MASK, (a + _rotate(b + _K2, 18) + c) & _MASK, mul)
    e, f = _word(s, 16) * mul, _word(s, 24)
    g, h = (y + _word(s, n - 32)) * mul, (z + _word(s, n - 24)) * mul
    first = _rotate(e + f, 43) + _rotate(g, 30) + h
    second = e + _rotate(f + a, 18) + g
    return _join(first & _MASK, second & _MASK, mul)


def _weak(s: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = struct.unpack_from("<4Q", s, at)
    a = (a + w) & _MASK
    b = _rotate(b + a + z, 21)
    c = a
    a += x + y
    b += _rotate(a, 44)
    return (a + z) & _MASK, (b + c) & _MASK


def fingerprint64(s: bytes) -> int:
    """FarmHash's Fingerprint64, a number of 64 bits."""
    n = len(s)
    if n <= 16:
        return _short(s)
    if n <= 32:
        return _middle(s)
    if n <= 64:
        return _longer(s)
    x = 81
    y = (x * _K1 + 113) & _MASK
    z = _mix(y * _K2 + 113) * _K2 & _MASK
    v, w = (0, 0), (0, 0)
    x = (x * _K2 + _word(s, 0)) & _MASK
    end = (n - 1) // 64 * 64
    for at in range(0, end, 64):
        x, y, z, v, w = _round(s, at, x, y, z, v, w, _K1, 1)
    mul = (_K1 + ((z & 0xFF) << 1)) & _MASK
    first = w[0] + ((n - 1) & 63)
    v = (v[0] + first, v[1])
    w = (first + v[0], w[1])
    x, y, z, v, w = _round(s, n - 64, x, y, z, v, w, mul, 9)
    return _join((_join(v[0], w[0], mul) + _mix(y) * _K0 + z) & _MASK, (_join(v[1], w[1], mul) + x) & _MASK, mul)


def _round(
    s: bytes, at: int, x: int, y: int, z: int, v: tuple[int, int], w: tuple[int, int], mul: int, factor: int
) -> tuple[int, int, int, tuple[int, int], tuple[int, int]]:
    x = _rotate(x + y + v[0] + _word(s, at + 8), 37) * mul & _MASK
    y = _rotate(y + v[1] + _word(s, at + 48), 42) * mul & _MASK
    x ^= w[1] * factor & _MASK
    y = (y + v[0] * factor + _word(s, at + 40)) & _MASK
    z = _rotate(z + w[0], 33) * mul & _MASK
    v = _weak(s, at, v[1] * mul, x + w[0])
    w = _weak(s, at + 32, z + w[1], y + _word(s, at + 16))
    return z, y, x, v, w


def _sip(v: list[int], rounds: int) -> None:
    for _ in range(rounds):
        v[0] = (v[0] + v[1]) & _MASK
        v[2] = (v[2] + v[3]) & _MASK
        v[1] = _rotate(v[1], 51) ^ v[0]
        v[3] = _rotate(v[3], 48) ^ v[2]
        v[0] = _rotate(v[0], 32)
        v[2] = (v[2] + v[1]) & _MASK
        v[0] = (v[0] + v[3]) & _MASK
        v[1] = _rotate(v[1], 47) ^ v[2]
        v[3] = _rotate(v[3], 43) ^ v[0]
        v[2] = _rotate(v[2], 32)


def siphash(s: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4 of a key of two numbers of 64 bits."""
    k0, k1 = (k & _MASK for k in key)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    padded = s + b"\0" * (7 - len(s) % 8) + bytes([len(s) & 0xFF])
    for (m,) in struct.iter_unpack("<Q", padded):
        v[3] ^= m
        _sip(v, 2)
        v[0] ^= m
    v[2] ^= 0xFF
    _sip(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


_CAT = 0xC6A4A7935BD1E995


def combine(a: int, b: int) -> int:
    """One fingerprint of two, in this order (as MurmurHash2 takes a word in)."""
    result = a ^ _CAT
    result ^= _mix(b * _CAT) * _CAT & _MASK
    result = result * _CAT & _MASK
    result = _mix(result) * _CAT & _MASK
    return _mix(result)


@functools.lru_cache(maxsize=1 << 16)
def bin_of(value: str, bins: int, salt: tuple[int, int] | None = None) -> int:
    """The bin of a text: by `fingerprint64`, or with a salt by `siphash`."""
    data = value.encode("utf-8")
    return (fingerprint64(data) if salt is None else siphash(data, salt)) % bins
