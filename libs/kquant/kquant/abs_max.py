"""Quantization by the largest absolute value: the symmetric linear code that all modes are built on."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from kops.dtypes import is_float_dtype, standardize_dtype
from kspec import public


@public("keras.quantizers.abs_max_quantize")
def abs_max_quantize(
    inputs: Any,
    axis: Any,
    value_range: tuple[int, int] = (-127, 127),
    dtype: str = "int8",
    epsilon: float = 1e-7,
    to_numpy: bool = False,
) -> tuple[Any, Any]:
    """Integers and the scale by which they were multiplied: `round(inputs * scale)`, `scale = high / max|inputs|`.

    Args:
        inputs: float tensor.
        axis: the axis or axes over which one scale is shared; None is all, and `()` none.
        value_range: `(low, high)`, the integers used.
        dtype: dtype of the integers.
        epsilon: added to the largest absolute value, so that zeros have a scale too.
        to_numpy: compute on the host and return NumPy arrays (kernels are quantized so: no device memory).

    Returns:
        The integers, shaped as `inputs`, and the scale in the dtype of `inputs`, with size 1 along `axis`.
        `integers / scale` is close to `inputs`.

    Raises:
        ValueError: when `value_range` is no range around zero.

    Example:
        >>> abs_max_quantize(np.array([[1.0, -2.0, 0.5]], "float32"), axis=-1)
        (array([[  64, -127,   32]], dtype=int8), array([[63.5]], dtype=float32))
    """
    low, high = value_range
    if not low < 0 < high:
        raise ValueError(f"value_range is (low, high) with low < 0 < high, not {value_range!r}.")
    lib: Any = np if to_numpy else kops
    x = np.asarray(inputs) if to_numpy else kops.convert_to_tensor(inputs)
    given = standardize_dtype(x.dtype)
    if not is_float_dtype(given):
        x = _cast(x, standardize_dtype(None))
        given = standardize_dtype(x.dtype)
    if given in ("float16", "bfloat16"):
        x = _cast(x, "float32")  # 127 / epsilon is beyond float16, and 8 bits are all that bfloat16 has
    size = lib.abs(x)
    if axis != ():
        axis = tuple(axis) if isinstance(axis, (list, tuple)) else axis
        size = lib.max(size, axis=axis, keepdims=True)
    scale = high / (size + epsilon)
    if given == "float16":
        scale = lib.minimum(scale, 65504.0)
    # The integers belong to the scale as it is returned, rounded to its dtype.
    scale = _cast(scale, given)
    integers = lib.clip(lib.round(x * _cast(scale, standardize_dtype(x.dtype))), low, high)
    return _cast(integers, dtype), scale


def _cast(x: Any, dtype: str) -> Any:
    if isinstance(x, np.ndarray):
        return x.astype(dtype, copy=False)
    return kops.cast(x, dtype)
