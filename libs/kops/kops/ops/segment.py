"""Reductions of rows that carry the same number."""

from __future__ import annotations

from typing import Any

from kops import promote
from kops.declare import Tensor, primitive
from kops.shapes import Shape
from kspec import public


def _computed_in(**wider: str) -> Any:
    """The dtype rule of the data, but for those whose dtypes are computed in others."""

    def rule(d: Any, ids: Any, **static: Any) -> Any:
        promote.check_indices(ids)
        dtype = promote.natural(d)
        return (wider.get(dtype, dtype), None), dtype

    return rule


def _shape(data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False) -> Shape:
    if len(segment_ids.shape) != 1 or not len(data.shape):
        raise ValueError(f"segment_ids has one dimension and data at least one; got {segment_ids.shape}, {data.shape}.")
    n, m = data.shape[0], segment_ids.shape[0]
    if None not in (n, m) and n != m:
        raise ValueError(f"data has {n} rows but there are {m} segment_ids.")
    return (num_segments, *data.shape[1:])


# Bools as uint8, whose limits are those of bools: they stand for empty segments.
_ordered = primitive(dtype=promote.real(_computed_in(bool="uint8")), shape=_shape, checked=True)
# Engines add up in the dtype of the data: 16 bits stop growing after a few hundred rows.
_total = primitive(dtype=_computed_in(float16="float32", bfloat16="float32", bool="int32"), shape=_shape, checked=True)


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
