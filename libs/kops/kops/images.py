"""Shapes of images, `(height, width, channels)` or with a batch, in either data format."""

from __future__ import annotations

from typing import Any

import kops
from kops import dtypes, promote, windows
from kops.shapes import Shape


def layout(ndim: int, data_format: str | None, spatial: int = 2) -> tuple[int, bool]:
    """The axis of the height, and whether channels come first; an image may lack the batch."""
    if ndim not in (spatial + 1, spatial + 2):
        raise ValueError(
            f"images have {spatial + 1} dimensions, or {spatial + 2} with a batch; this has {ndim} dimensions."
        )
    first = windows.channels_first(data_format)
    return ndim - spatial - (0 if first else 1), first


def as_batch(images: Any, data_format: str | None, compute: Any, spatial: int = 2) -> Any:
    """What `compute` makes of the images as a batch with channels last, laid out as they are."""
    _, first = layout(len(images.shape), data_format, spatial)
    lone = len(images.shape) == spatial + 1
    x = kops.expand_dims(images, 0) if lone else images
    y = compute(kops.moveaxis(x, 1, -1) if first else x)
    y = kops.moveaxis(y, spatial + 1, 1) if first else y
    return y[0] if lone else y


def axes(x: Any, data_format: str | None) -> tuple[int, int, int]:
    """The axes of height, width and channels."""
    height, first = layout(len(x.shape), data_format)
    return height, height + 1, height - 1 if first else height + 2


def resized(x: Any, size: tuple[int | None, int | None], data_format: str | None) -> Shape:
    height, width, _ = axes(x, data_format)
    return tuple(size[0] if i == height else size[1] if i == width else d for i, d in enumerate(x.shape))


def colours(x: Any, data_format: str | None, depth: int = 3) -> int:
    """The axis of the channels, of which there must be `depth`."""
    axis = axes(x, data_format)[2]
    if x.shape[axis] not in (None, depth):
        raise ValueError(f"axis {axis} must hold {depth} channels, not {x.shape[axis]}.")
    return axis


@promote.real
def moved_by_floats(d: Any, *others: Any) -> Any:
    """Images as they are; what says where they go is of floats, each of its own dtype."""
    dtype = promote.natural(d)
    return (dtype, *(dtypes.to_inexact(promote.natural(other)) for other in others)), dtype


def pair(value: Any, name: str) -> tuple[int, int]:
    """A size given as an int or two."""
    return windows.each(value, 2, name)  # type: ignore[return-value]
