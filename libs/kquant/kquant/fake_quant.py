"""Fake quantization: rounding to the values that integers could hold, with a gradient."""

from __future__ import annotations

from typing import Any

import kops
from kspec import public


@public("keras.quantizers.fake_quant_with_min_max_vars")
def fake_quant_with_min_max_vars(
    inputs: Any, min_vals: Any, max_vals: Any, num_bits: int = 8, narrow_range: bool = False, axis: int | None = None
) -> Any:
    """Round to one of the `2**num_bits` values between `min_vals` and `max_vals`.

    The ends are moved so that 0 is one of the values. For quantization-aware training: the gradient of `inputs` is
    that of clipping, as if nothing were rounded, and the ends get the gradients of what lies beyond them.

    Args:
        inputs: float tensor.
        min_vals, max_vals: the ends; numbers, or with `axis` one for each slice along it.
        num_bits: at least 2.
        narrow_range: leave out the lowest value, for ranges that are symmetric around 0.
        axis: the axis along which the ends differ.

    Raises:
        ValueError: for fewer than 2 bits.

    Source: Jacob et al., "Quantization and training of neural networks for efficient integer-arithmetic-only
    inference", 2018.
    """
    if not isinstance(num_bits, int) or num_bits < 2:
        raise ValueError(f"num_bits is an integer from 2, not {num_bits!r}.")
    inputs = kops.convert_to_tensor(inputs)
    dtype = kops.standardize_dtype(inputs.dtype)
    low, high = (_ends(v, dtype, axis, len(inputs.shape)) for v in (min_vals, max_vals))
    first, last = float(narrow_range), float(2**num_bits - 1)

    # Of the range that is asked for; the values are multiples of the step.
    step = kops.divide(kops.subtract(high, low), last - first)
    exact = kops.subtract(first, kops.divide(low, step))
    # Half up, as the published algorithm has it.
    zero = kops.floor(kops.add(kops.clip(exact, first, last), 0.5))
    lowest, highest = kops.multiply(first - zero, step), kops.multiply(last - zero, step)
    lowest, highest = kops.stop_gradient(lowest), kops.stop_gradient(highest)

    inside = kops.logical_and(inputs >= lowest, inputs <= highest)
    clipped = kops.clip(inputs, lowest, highest)
    level = kops.floor(kops.add(kops.divide(kops.subtract(clipped, lowest), step), 0.5))
    rounded = kops.stop_gradient(kops.add(kops.multiply(level, step), lowest))
    # Values of `rounded`, gradients of this: inputs where they are inside, else the end they lie beyond.
    passed = kops.where(inside, inputs, kops.where(inputs < lowest, low, high))
    result = kops.add(rounded, kops.subtract(passed, kops.stop_gradient(passed)))
    return kops.cast(result, dtype)


def _ends(value: Any, dtype: str, axis: int | None, rank: int) -> Any:
    value = kops.cast(kops.convert_to_tensor(value), dtype)
    if axis is None or not len(value.shape):
        return value
    shape = [1] * rank
    shape[axis] = -1
    return kops.reshape(value, shape)
