"""Scales of float8 tensors, from the largest values of the latest steps."""

from __future__ import annotations

from typing import Any

import kops
from kspec import public

# The largest finite number of each dtype.
LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}


@public("keras.quantizers.compute_float8_scale")
def compute_float8_scale(amax: Any, scale: Any, dtype_max: float, margin: int = 0) -> Any:
    """The number by which to divide so that values up to `amax` fill the range of a float8 dtype.

    `amax / dtype_max * 2**margin`; the old scale where `amax` is 0 or not finite.

    Args:
        amax: the largest absolute value expected.
        scale: the old scale.
        dtype_max: the largest number of the dtype, 448 for float8_e4m3fn.
        margin: how many powers of two to leave free.

    Source: Micikevicius et al., "FP8 formats for deep learning", 2022.
    """
    amax = kops.convert_to_tensor(amax)
    new = kops.multiply(amax, 2.0**margin / dtype_max)
    usable = kops.logical_and(kops.isfinite(amax), amax > 0.0)
    return kops.where(usable, new, scale)


@public("keras.quantizers.compute_float8_amax_history")
def compute_float8_amax_history(x: Any, amax_history: Any) -> Any:
    """The history of largest absolute values, moved on by one step: that of `x` comes first, the oldest goes.

    Args:
        x: the tensor of this step.
        amax_history: `(steps,)`; its first entry is the one in progress and is replaced.

    Returns:
        `(steps,)`.
    """
    newest = kops.cast(kops.max(kops.abs(x)), kops.standardize_dtype(amax_history.dtype))
    moved = kops.roll(amax_history, -1)
    return kops.concatenate([kops.reshape(newest, (1,)), moved[1:]], axis=0)


@public("keras.quantizers.quantize_and_dequantize")
def quantize_and_dequantize(inputs: Any, scale: Any, quantized_dtype: str, compute_dtype: str) -> Any:
    """What is left of a tensor after it was divided by `scale`, rounded to float8, and multiplied again.

    Values beyond the range become its ends.

    Args:
        inputs: any tensor.
        scale: a number.
        quantized_dtype: "float8_e4m3fn" or "float8_e5m2".
        compute_dtype: the dtype in which to divide, and of the result.
    """
    dtype = kops.standardize_dtype(quantized_dtype)
    if dtype not in LARGEST:
        raise ValueError(f"quantized_dtype must be one of {', '.join(LARGEST)}, not {quantized_dtype!r}.")
    scale = kops.cast(scale, compute_dtype)
    largest = LARGEST[dtype]
    x = kops.clip(kops.divide(kops.cast(inputs, compute_dtype), scale), -largest, largest)
    return kops.multiply(kops.cast(kops.cast(x, dtype), compute_dtype), scale)
