"""The generator's algorithm, and its implementation in NumPy.

The bits of element `i` are a hash of `i` under a key of two words that comes from the seed. A hash has no state: any
part of a tensor can be computed anywhere, in any order, on any engine, with the same result.

In arithmetic of unsigned 32-bit words:

    v = mix(seed + SEED_OFFSETS)                           both words at once
    k0, k1 = mix(v + swapped(v) * SEED_CROSS)              each depends on all 64 bits of the seed
    x = i + k0
    x ^= x >> 17;  x *= M0;  x ^= k1
    x ^= x >> 11;  x *= M1;  x ^= x >> 15;  x *= M2;  x ^= x >> 14

The shifts and multipliers are the "triple32" permutation of C. Wellons' hash-prospector (public domain), which differs
from an ideal random permutation by an avalanche bias of 0.02; `mix` is its smaller sister "lowbias32".
"""

from __future__ import annotations

from typing import Any

import numpy as np

WORD = 0xFFFFFFFF
SEED_OFFSETS = (0x9E3779B9, 0x85EBCA6B)
SEED_CROSS = 0x9E3779B1
MIX_MULTIPLIERS = (0x7FEB352D, 0x846CA68B)
MULTIPLIERS = (0xED5AD4BB, 0xAC4C1B51, 0x31848BAB)
LIMIT = 2**31  # elements in one tensor: what every engine can count

_CHUNK = 1 << 15  # elements that stay in the cache together with their temporaries


def _mix(w: int) -> int:
    w ^= w >> 16
    w = w * MIX_MULTIPLIERS[0] & WORD
    w ^= w >> 15
    w = w * MIX_MULTIPLIERS[1] & WORD
    return w ^ w >> 16


def host_keys(seed: Any) -> tuple[int, int]:
    """The two key words of a seed of two integers."""
    v, w = (_mix((int(s) + offset) & WORD) for s, offset in zip(seed, SEED_OFFSETS))
    return _mix((v + w * SEED_CROSS) & WORD), _mix((w + v * SEED_CROSS) & WORD)


def host_bits(seed: Any, shape: Any) -> np.ndarray:
    """32 random bits per element.

    Args:
        seed: two integers.
        shape: of the result.

    Returns:
        An int32 array; the bits are those of `random_bits` on every engine.
    """
    k0, k1 = host_keys(seed)
    count = int(np.prod(shape, dtype=np.int64))
    result = np.empty(count, np.uint32)
    ramp = np.arange(min(count, _CHUNK), dtype=np.uint32)
    shifted = np.empty_like(ramp)
    m0, m1, m2 = (np.uint32(m) for m in MULTIPLIERS)
    for start in range(0, count, _CHUNK):
        x = result[start : start + _CHUNK]
        t = shifted[: x.size]
        np.add(ramp[: x.size], np.uint32((start + k0) & WORD), out=x)
        np.bitwise_xor(x, np.right_shift(x, 17, out=t), out=x)
        np.multiply(x, m0, out=x)
        np.bitwise_xor(x, np.uint32(k1), out=x)
        np.bitwise_xor(x, np.right_shift(x, 11, out=t), out=x)
        np.multiply(x, m1, out=x)
        np.bitwise_xor(x, np.right_shift(x, 15, out=t), out=x)
        np.multiply(x, m2, out=x)
        np.bitwise_xor(x, np.right_shift(x, 14, out=t), out=x)
    return result.view(np.int32).reshape(shape)
