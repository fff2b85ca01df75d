"""Reductions of rows that carry the same number."""

from __future__ import annotations

from typing import Any

from kops import promote
from kops.declare import Tensor, primitive
from kops.shapes import Shape
from kspec import public


def _ordered_dtypes(d: Any, ids: Any, **static: Any) -> Any:
    # Bools as uint8, whose limits are those of bools: they stand for empty segments.
    promote.check_indices(ids)
    dtype = promote.natural(d)
    return ("uint8" if dtype == "bool" else dtype, None), dtype


def _total_dtypes(d: Any, ids: Any, **static: Any) -> Any:
    # Engines add up in the dtype of the data: 16 bits stop growing after a few hundred rows.
    promote.check_indices(ids)
    dtype = promote.natural(d)
    wide = {"float16": "float32", "bfloat16": "float32", "bool": "int32"}
    return (wide.get(dtype, dtype), None), dtype


def _shape(data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False) -> Shape:
    if len(segment_ids.shape) != 1 or not len(data.shape):
        raise ValueError(f"segment_ids has one dimension and data at least one; got {segment_ids.shape}, {data.shape}.")
    n, m = data.shape[0], segment_ids.shape[0]
    if None not in (n, m) and n != m:
        raise ValueError(f"data has {n} rows but there are {m} segment_ids.")
    return (num_segments, *data.shape[1:])


_ordered = primitive(dtype=promote.real(_ordered_dtypes), shape=_shape, checked=True)
_total = primitive(dtype=_total_dtypes, shape=_shape, checked=True)


@public("keras.ops.segment_sum")
@_total
def segment_sum(data: Tensor, segment_ids: Tensor, num_segments: int | None = None, sorted: bool = False) -> Any:
    """Sums of the rows of each segment; an empty segment gives 0.

    Args:
        data: shape `(n, ...)`.
        segment_ids: ints, shape `(n,)`: to which segment each row belongs; rows outside of `[0, num_segments)` are
            left out.
        num_segments: number of segments; the largest id + 1 by default, which cannot be compiled on JAX.
        sorted: a promise that the ids ascend.

    Returns:
        Shape `(num_segments, ...)`.

    Example:
        >>> segment_sum([1, 2, 4], [0, 0, 2], 3)
        [3, 0, 4]
    """


@public("keras.ops.segment_max")
@_ordered
def segment_max(data: Tensor, segment_ids: Tensor, num_segments: int | None = None, sorted: bool = False) -> Any:
    """Maxima of the rows of each segment; an empty one gives -inf, of ints the smallest.

    Args: as for `segment_sum`.
    """


@public("keras.ops.segment_min")
@_ordered
def segment_min(data: Tensor, segment_ids: Tensor, num_segments: int | None = None, sorted: bool = False) -> Any:
    """Minima of the rows of each segment; an empty one gives inf, of ints the largest.

    Args: as for `segment_sum`.
    """


@public("keras.ops.segment_prod")
@_total
def segment_prod(data: Tensor, segment_ids: Tensor, num_segments: int | None = None, sorted: bool = False) -> Any:
    """Products of the rows of each segment; an empty one gives 1.

    Args: as for `segment_sum`.
    """
