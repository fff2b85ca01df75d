"""Quantization of blocks of rows, each with its scale and its zero point."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from kops.dtypes import standardize_dtype
from kspec import public


@public("keras.quantizers.abs_max_quantize_grouped_with_zero_point")
def abs_max_quantize_grouped_with_zero_point(
    inputs: Any,
    block_size: int,
    value_range: tuple[int, int] = (-8, 7),
    dtype: str = "int8",
    epsilon: float = 1e-7,
    to_numpy: bool = False,
) -> tuple[Any, Any, Any]:
    """Integers of a matrix whose columns are cut into blocks: `inputs ~ (integers - zero) * scale`.

    The range of a block reaches from its least to its largest value, and always to 0: the zero point must be one of
    the integers, and a block of one sign would otherwise be cut off.

    Args:
        inputs: `(rows, columns)`.
        block_size: rows in a block; the last block may have fewer.
        value_range: the lowest and the highest integer used.
        dtype: dtype of integers and zero points.
        epsilon: a block with a smaller range counts as one of range 2.
        to_numpy: compute on the host and return NumPy arrays.

    Returns:
        The integers `(rows, columns)`, the scales and the zero points, both `(blocks, columns)`.

    Raises:
        ValueError: when `inputs` is no matrix or `block_size` not positive.
    """
    lib: Any = np if to_numpy else kops
    x = np.asarray(inputs) if to_numpy else kops.convert_to_tensor(inputs)
    if len(x.shape) != 2 or block_size < 1:
        raise ValueError(f"A matrix and a positive block_size are needed, not shape {tuple(x.shape)}, {block_size!r}.")
    given = standardize_dtype(x.dtype)
    x = _cast(x, "float32")
    rows, columns = x.shape
    blocks = -(-rows // block_size)
    padded = lib.pad(x, [(0, blocks * block_size - rows), (0, 0)])
    padded = lib.reshape(padded, (blocks, block_size, columns))
    least = lib.minimum(lib.min(padded, axis=1, keepdims=True), 0.0)
    most = lib.maximum(lib.max(padded, axis=1, keepdims=True), 0.0)
    low, high = value_range
    extent = lib.where(most - least < epsilon, lib.ones_like(most) * 2.0, most - least)
    scale = _cast(_cast(extent / (high - low), given), "float32")
    zero = lib.clip(lib.round(-least / scale) + low, low, high)
    integers = lib.clip(lib.round(padded / scale) + zero, low, high)
    integers = lib.reshape(integers, (blocks * block_size, columns))[:rows]
    scale, zero = lib.squeeze(scale, axis=1), lib.squeeze(zero, axis=1)
    return _cast(integers, dtype), _cast(scale, given), _cast(zero, dtype)


def _cast(x: Any, dtype: str) -> Any:
    return x.astype(dtype, copy=False) if isinstance(x, np.ndarray) else kops.cast(x, dtype)
