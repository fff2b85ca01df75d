"""Tuples `(x, y, sample_weight)`."""

from __future__ import annotations

from typing import Any

from kspec import public


@public("keras.utils.unpack_x_y_sample_weight")
def unpack_x_y_sample_weight(data: Any) -> tuple[Any, Any, Any]:
    """`x`, `y` and `sample_weight` of one batch; None for what it does not have.

    Args:
        data: `x`, `(x,)`, `(x, y)` or `(x, y, sample_weight)`.
    """
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if len(data) == 1:
        return data[0], None, None
    if len(data) == 2:
        return data[0], data[1], None
    if len(data) == 3:
        return data[0], data[1], data[2]
    raise ValueError(f"A batch is (x,), (x, y) or (x, y, sample_weight), not a tuple of {len(data)}.")


@public("keras.utils.pack_x_y_sample_weight")
def pack_x_y_sample_weight(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """The shortest of `x`, `(x,)`, `(x, y)` and `(x, y, sample_weight)` that holds what is not None."""
    if y is None and sample_weight is None:
        return (x,) if isinstance(x, (tuple, list)) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def batch_tuple(x: Any, y: Any = None, sample_weight: Any = None) -> tuple[Any, ...]:
    """Always a tuple: what steps get from arrays."""
    if y is None and sample_weight is None:
        return (x,)
    return (x, y) if sample_weight is None else (x, y, sample_weight)
