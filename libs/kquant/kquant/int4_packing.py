"""Two 4-bit integers in a byte."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from kspec import public

_DTYPES = ("int8", "uint8")


@public("keras.quantizers.pack_int4")
def pack_int4(arr: Any, axis: int = 0, dtype: str = "int8") -> tuple[Any, tuple[int, ...], int]:
    """Put pairs of 4-bit integers along an axis into bytes, the first of a pair in the low half.

    Args:
        arr: integers from -8 to 7 (int8) or 0 to 15 (uint8).
        axis: the axis along which neighbours are paired; an odd last one is paired with 0.
        dtype: "int8" or "uint8", the dtype of `arr` and of the bytes.

    Returns:
        The bytes, whose size along `axis` is half, rounded up; the shape of `arr`; its size along `axis`.

    Raises:
        TypeError: when `arr` has another dtype.

    Example:
        >>> pack_int4(np.array([1, 2, 3], "int8"))
        (array([33,  3], dtype=int8), (3,), 3)
    """
    host = isinstance(arr, np.ndarray)
    arr = arr if host else kops.convert_to_tensor(arr)
    _check(arr, dtype)
    shape = tuple(arr.shape)
    axis %= len(shape)
    size = shape[axis]
    lib: Any = np if host else kops
    if size % 2:
        arr = lib.pad(arr, [(0, int(i == axis)) for i in range(len(shape))])
    # Neighbours get an axis of their own, of size 2. Halves are put together in 16 bits, where nothing overflows.
    pairs = lib.reshape(arr, (*shape[:axis], -1, 2, *shape[axis + 1 :]))
    low, high = lib.take(pairs, 0, axis=axis + 1), lib.take(pairs, 1, axis=axis + 1)
    low, high = (_to(x, "int16") for x in (low, high))
    byte = lib.bitwise_or(lib.bitwise_and(low, 15), lib.left_shift(lib.bitwise_and(high, 15), 4))
    if dtype == "int8":
        byte = byte - lib.where(byte > 127, _to(lib.full_like(byte, 256), "int16"), _to(lib.zeros_like(byte), "int16"))
    return _to(byte, dtype), shape, size


@public("keras.quantizers.unpack_int4")
def unpack_int4(packed: Any, orig_len: int, axis: int = 0, dtype: str = "int8") -> Any:
    """The 4-bit integers that `pack_int4` put into bytes.

    Args:
        packed: the bytes.
        orig_len: the size along `axis` before packing.
        axis: the axis along which neighbours were paired.
        dtype: "int8" (integers from -8 to 7) or "uint8" (0 to 15).

    Returns:
        The integers, of size `orig_len` along `axis`.

    Raises:
        TypeError: when `packed` has another dtype.
    """
    host = isinstance(packed, np.ndarray)
    packed = packed if host else kops.convert_to_tensor(packed)
    _check(packed, dtype)
    lib: Any = np if host else kops
    shape = tuple(packed.shape if host else kops.shape(packed))
    axis %= len(shape)
    low = lib.bitwise_and(packed, _to(lib.full_like(packed, 15), dtype))
    if dtype == "int8":
        low = low - _to(low > 7, "int8") * 16  # the sign of the low half
    high = lib.right_shift(packed, 4)  # that of the high half comes along
    both = lib.reshape(lib.stack([low, high], axis=axis + 1), (*shape[:axis], 2 * shape[axis], *shape[axis + 1 :]))
    if orig_len == 2 * shape[axis]:
        return _to(both, dtype)
    return _to(both, dtype)[(slice(None),) * axis + (slice(0, orig_len),)]


def _to(x: Any, dtype: str) -> Any:
    return x.astype(dtype) if isinstance(x, np.ndarray) else kops.cast(x, dtype)


def _check(x: Any, dtype: str) -> None:
    if dtype not in _DTYPES:
        raise ValueError(f"dtype must be 'int8' or 'uint8', not {dtype!r}.")
    if kops.standardize_dtype(x.dtype) != dtype:
        raise TypeError(f"A tensor of dtype {dtype!r} is expected, not {kops.standardize_dtype(x.dtype)!r}.")
