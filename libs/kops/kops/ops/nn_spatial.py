"""Rearrangements between space and channels, and between images and columns of their windows."""

from __future__ import annotations

from typing import Any

import kops
from kops import promote, shapes, windows
from kops.declare import Tensor, composite


def _batch(x: Any) -> int:
    """For `reshape`, which cannot infer it where there are no elements."""
    return -1 if x.shape[0] is None else x.shape[0]


def _checked(x: Any, block_size: int, data_format: str | None) -> bool:
    if not isinstance(block_size, int) or block_size < 2:
        raise ValueError(f"block_size must be an int of at least 2, not {block_size!r}.")
    if len(x.shape) != 4:
        raise ValueError(f"the input must have 4 dimensions, not shape {tuple(x.shape)}.")
    return windows.channels_first(data_format)


def _divided(size: int | None, by: int, what: str) -> int | None:
    if size is not None and size % by:
        raise ValueError(f"{what} {size} cannot be divided by {by}.")
    return size if size is None else size // by


def _times(size: int | None, by: int) -> int | None:
    return size if size is None else size * by


def _to_depth_shape(x: Any, block_size: int, data_format: str | None = "channels_last") -> shapes.Shape:
    first = _checked(x, block_size, data_format)
    batch, *rest = x.shape
    (depth, height, width) = rest if first else (rest[2], rest[0], rest[1])
    sizes = _divided(height, block_size, "height"), _divided(width, block_size, "width")
    depth = _times(depth, block_size**2)
    return (batch, depth, *sizes) if first else (batch, *sizes, depth)


@composite("nn", dtype=promote.common, shape=_to_depth_shape)
def space_to_depth(x: Tensor, block_size: int, data_format: str | None = "channels_last") -> Any:
    """Square blocks of positions laid out in the channels.

    Args:
        x: `(batch, height, width, channels)`, or with channels first.
        block_size: of the squares; divides height and width.
        data_format: `"channels_last"`, whose new channels go through the block and in each position through the
            old channels, or `"channels_first"`, whose new channels go through the old ones and in each through the
            block.

    Returns:
        `(batch, height / block, width / block, channels * block^2)`, or with channels first.
    """
    new = _to_depth_shape(x, block_size, data_format)
    b = block_size
    if windows.channels_first(data_format):
        _, depth, height, width = kops.shape(x)
        parts = kops.reshape(x, [_batch(x), depth, height // b, b, width // b, b])
        return kops.reshape(kops.transpose(parts, (0, 1, 3, 5, 2, 4)), [_batch(x), *_sizes(new, x, b, True)])
    _, height, width, depth = kops.shape(x)
    parts = kops.reshape(x, [_batch(x), height // b, b, width // b, b, depth])
    return kops.reshape(kops.transpose(parts, (0, 1, 3, 2, 4, 5)), [_batch(x), *_sizes(new, x, b, False)])


def _sizes(new: Any, x: Any, b: int, first: bool) -> list[Any]:
    """The new dimensions after the batch, computed where they are not known."""
    if None not in new[1:]:
        return list(new[1:])
    now = kops.shape(x)[1:]
    if first:
        return [now[0] * b * b, now[1] // b, now[2] // b]
    return [now[0] // b, now[1] // b, now[2] * b * b]


def _to_space_shape(x: Any, block_size: int, data_format: str | None = "channels_last") -> shapes.Shape:
    first = _checked(x, block_size, data_format)
    batch, *rest = x.shape
    (depth, height, width) = rest if first else (rest[2], rest[0], rest[1])
    depth = _divided(depth, block_size**2, "the number of channels")
    sizes = _times(height, block_size), _times(width, block_size)
    return (batch, depth, *sizes) if first else (batch, *sizes, depth)


@composite("nn", dtype=promote.common, shape=_to_space_shape)
def depth_to_space(x: Tensor, block_size: int, data_format: str | None = "channels_last") -> Any:
    """The inverse of `space_to_depth`: channels laid out as square blocks of positions.

    Args:
        x: `(batch, height, width, channels)`, or with channels first.
        block_size: of the squares; its square divides the number of channels.
        data_format: `"channels_last"` or `"channels_first"`.

    Returns:
        `(batch, height * block, width * block, channels / block^2)`, or with channels first.
    """
    _to_space_shape(x, block_size, data_format)
    b = block_size
    if windows.channels_first(data_format):
        _, depth, height, width = kops.shape(x)
        parts = kops.reshape(x, [_batch(x), depth // (b * b), b, b, height, width])
        parts = kops.transpose(parts, (0, 1, 4, 2, 5, 3))
        return kops.reshape(parts, [_batch(x), depth // (b * b), height * b, width * b])
    _, height, width, depth = kops.shape(x)
    parts = kops.reshape(x, [_batch(x), height, width, b, b, depth // (b * b)])
    parts = kops.transpose(parts, (0, 1, 3, 2, 4, 5))
    return kops.reshape(parts, [_batch(x), height * b, width * b, depth // (b * b)])


def _two(value: Any, name: str, least: int = 1) -> tuple[int, int]:
    both = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    if len(both) != 2 or not all(isinstance(v, int) and v >= least for v in both):
        raise ValueError(f"{name} must be an int of at least {least} or two of them, not {value!r}.")
    return both


def _columns(
    sizes: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[windows.Geometry, tuple[int, int], tuple[int, int], tuple[Any, Any]]:
    """Checked arguments, the window, the padding, and the numbers of windows along height and width."""
    window, pads = _two(kernel_size, "kernel_size"), _two(padding, "padding", 0)
    g = windows.Geometry(2, _two(stride, "stride"), _two(dilation, "dilation"), "valid", False)
    rows, columns = (
        None if size is None else windows.positions(size + 2 * p, w, s, "valid", d)
        for size, p, w, s, d in zip(sizes, pads, window, g.strides, g.dilation)
    )
    return g, window, pads, (rows, columns)


def _unfold_shape(x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> shapes.Shape:
    if len(x.shape) != 4:
        raise ValueError(f"the input must be (batch, channels, height, width), not {tuple(x.shape)}.")
    _, window, _, (rows, columns) = _columns(x.shape[2:], kernel_size, dilation, padding, stride)
    length = None if rows is None or columns is None else rows * columns
    return (x.shape[0], _times(x.shape[1], window[0] * window[1]), length)


@composite("nn", dtype=promote.common, shape=_unfold_shape)
def unfold(x: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Windows of images as columns ("im2col").

    Args:
        x: `(batch, channels, height, width)`; height and width must be known.
        kernel_size: of the window, an int or `(height, width)`.
        dilation: distance between the positions of a window.
        padding: zeros on both sides.
        stride: distance between windows.

    Returns:
        `(batch, channels * window, windows)`: a column goes through the channels and in each through the window.
    """
    _unfold_shape(x, kernel_size, dilation, padding, stride)
    if None in tuple(x.shape[2:]):
        raise ValueError("unfold needs images of known height and width.")
    g, window, pads, (rows, columns) = _columns(tuple(x.shape[2:]), kernel_size, dilation, padding, stride)
    depth = x.shape[1]
    padded = kops.pad(kops.transpose(x, (0, 2, 3, 1)), [[0, 0], [pads[0]] * 2, [pads[1]] * 2, [0, 0]])
    parts = [kops.expand_dims(p, -1) for p in windows.taps(padded, window, g)]
    y = kops.transpose(kops.concatenate(parts, axis=-1), (0, 3, 4, 1, 2))
    return kops.reshape(y, [_batch(x), depth * window[0] * window[1], rows * columns])


def _fold_shape(
    x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> shapes.Shape:
    size = _two(output_size, "output_size")
    _, window, _, (rows, columns) = _columns(size, kernel_size, dilation, padding, stride)
    if len(x.shape) != 3 or x.shape[2] not in (None, rows * columns):
        raise ValueError(
            f"the input must be (batch, channels * {window[0] * window[1]}, {rows * columns}) for images of size "
            f"{size}, not {tuple(x.shape)}."
        )
    return (x.shape[0], _divided(x.shape[1], window[0] * window[1], "the number of rows"), *size)


@composite("nn", dtype=promote.numeric, shape=_fold_shape)
def fold(x: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Images from columns of windows, which are added up where they overlap ("col2im").

    Args:
        x: `(batch, channels * window, windows)`, as `unfold` gives.
        output_size: `(height, width)` of the images.
        kernel_size, dilation, padding, stride: as of `unfold`.

    Returns:
        `(batch, channels, height, width)`.
    """
    _fold_shape(x, output_size, kernel_size, dilation, padding, stride)
    height, width = _two(output_size, "output_size")
    g, window, pads, (rows, columns) = _columns((height, width), kernel_size, dilation, padding, stride)
    taps = window[0] * window[1]
    depth = x.shape[1] // taps
    parts = kops.reshape(x, [_batch(x), depth, window[0], window[1], rows, columns])
    # Each tap of the window is an image of its own, spread and moved into place.
    total: Any = None
    full = [height + 2 * pads[0], width + 2 * pads[1]]
    for i in range(window[0]):
        for j in range(window[1]):
            part = _spread(parts[:, :, i, j], g.strides)
            at = (i * g.dilation[0], j * g.dilation[1])
            ends = [f - a - s for f, a, s in zip(full, at, part.shape[2:])]
            # The spreading leaves zeros behind the last window, which may reach beyond the image.
            if min(ends) < 0:
                part = part[:, :, : part.shape[2] + min(ends[0], 0), : part.shape[3] + min(ends[1], 0)]
            part = kops.pad(part, [[0, 0], [0, 0], [at[0], max(ends[0], 0)], [at[1], max(ends[1], 0)]])
            total = part if total is None else kops.add(total, part)
    return total[:, :, pads[0] : pads[0] + height, pads[1] : pads[1] + width]


def _spread(x: Any, strides: tuple[int, ...]) -> Any:
    """Zeros between and behind positions, so that neighbours are a stride apart."""
    _, depth, rows, columns = x.shape
    if strides == (1, 1):
        return x
    x = kops.reshape(x, [_batch(x), depth, rows, 1, columns, 1])
    x = kops.pad(x, [[0, 0], [0, 0], [0, 0], [0, strides[0] - 1], [0, 0], [0, strides[1] - 1]])
    return kops.reshape(x, [_batch(x), depth, rows * strides[0], columns * strides[1]])
