"""Rearrangements between space and channels, and between images and columns of their windows."""

from __future__ import annotations

from typing import Any

import kops
from kops import promote, shapes, windows
from kops.declare import Tensor, composite


def _batch(x: Any) -> int:
    """For `reshape`, which cannot infer it where there are no elements."""
    return -1 if x.shape[0] is None else x.shape[0]


def _blocks(x: Any, block_size: int, data_format: str | None) -> windows.Geometry:
    if not isinstance(block_size, int) or block_size < 2:
        raise ValueError(f"block_size must be an int of at least 2, not {block_size!r}.")
    if len(x.shape) != 4:
        raise ValueError(f"the input must have 4 dimensions, not shape {tuple(x.shape)}.")
    return windows.geometry(4, 1, "valid", data_format)


def _divided(size: int | None, by: int, what: str) -> int | None:
    if size is not None and size % by:
        raise ValueError(f"{what} {size} cannot be divided by {by}.")
    return size if size is None else size // by


def _to_depth_shape(x: Any, block_size: int, data_format: str | None = "channels_last") -> shapes.Shape:
    g = _blocks(x, block_size, data_format)
    sizes = [_divided(d, block_size, what) for d, what in zip(windows.spatial(x.shape, g), ("height", "width"))]
    return windows.assemble(x.shape[0], sizes, shapes.product((windows.channels(x.shape, g), block_size**2)), g)


@composite("nn", dtype=promote.common, shape=_to_depth_shape, checked=True)
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
    first = windows.channels_first(data_format)
    pattern = "n c (h a) (w b) -> n (c a b) h w" if first else "n (h a) (w b) c -> n h w (a b c)"
    return kops.rearrange(x, pattern, a=block_size, b=block_size)


def _to_space_shape(x: Any, block_size: int, data_format: str | None = "channels_last") -> shapes.Shape:
    g = _blocks(x, block_size, data_format)
    depth = _divided(windows.channels(x.shape, g), block_size**2, "the number of channels")
    sizes = [shapes.product((d, block_size)) for d in windows.spatial(x.shape, g)]
    return windows.assemble(x.shape[0], sizes, depth, g)


@composite("nn", dtype=promote.common, shape=_to_space_shape, checked=True)
def depth_to_space(x: Tensor, block_size: int, data_format: str | None = "channels_last") -> Any:
    """The inverse of `space_to_depth`: channels laid out as square blocks of positions.

    Args:
        x: `(batch, height, width, channels)`, or with channels first.
        block_size: of the squares; its square divides the number of channels.
        data_format: `"channels_last"` or `"channels_first"`.

    Returns:
        `(batch, height * block, width * block, channels / block^2)`, or with channels first.
    """
    first = windows.channels_first(data_format)
    pattern = "n (c a b) h w -> n c (h a) (w b)" if first else "n h w (a b c) -> n (h a) (w b) c"
    return kops.rearrange(x, pattern, a=block_size, b=block_size)


def _columns(
    sizes: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[windows.Geometry, tuple[int, ...], tuple[int, ...], tuple[Any, Any]]:
    """Checked arguments, the window, the padding, and the numbers of windows along height and width."""
    window, pads = windows.each(kernel_size, 2, "kernel_size"), windows.each(padding, 2, "padding", 0)
    g = windows.Geometry(2, windows.each(stride, 2, "stride"), windows.each(dilation, 2, "dilation"), "valid", False)
    rows, columns = (
        None if size is None else windows.positions(size + 2 * p, w, s, "valid", d)
        for size, p, w, s, d in zip(sizes, pads, window, g.strides, g.dilation)
    )
    return g, window, pads, (rows, columns)


def _unfold_shape(x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> shapes.Shape:
    if len(x.shape) != 4:
        raise ValueError(f"the input must be (batch, channels, height, width), not {tuple(x.shape)}.")
    _, window, _, (rows, columns) = _columns(x.shape[2:], kernel_size, dilation, padding, stride)
    return (x.shape[0], shapes.product((x.shape[1], *window)), shapes.product((rows, columns)))


@composite("nn", dtype=promote.common, shape=_unfold_shape, checked=True)
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
    if None in tuple(x.shape[2:]):
        raise ValueError("unfold needs images of known height and width.")
    g, window, pads, counts = _columns(tuple(x.shape[2:]), kernel_size, dilation, padding, stride)
    padded = kops.pad(x, [[0, 0], [0, 0], [pads[0]] * 2, [pads[1]] * 2])
    down, across = (
        [slice(t * d, t * d + max((n - 1) * s + 1, 0), s) for t in range(w)]
        for w, d, n, s in zip(window, g.dilation, counts, g.strides)
    )
    y = kops.stack([padded[:, :, i, j] for i in down for j in across], axis=2)
    return kops.reshape(y, [_batch(x), x.shape[1] * window[0] * window[1], counts[0] * counts[1]])


def _fold_shape(
    x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> shapes.Shape:
    size = windows.each(output_size, 2, "output_size")
    _, window, _, (rows, columns) = _columns(size, kernel_size, dilation, padding, stride)
    if len(x.shape) != 3 or x.shape[2] not in (None, rows * columns):
        raise ValueError(
            f"the input must be (batch, channels * {window[0] * window[1]}, {rows * columns}) for images of size "
            f"{size}, not {tuple(x.shape)}."
        )
    return (x.shape[0], _divided(x.shape[1], window[0] * window[1], "the number of rows"), *size)


@composite("nn", dtype=promote.numeric, shape=_fold_shape, checked=True)
def fold(x: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Images from columns of windows, which are added up where they overlap ("col2im").

    Args:
        x: `(batch, channels * window, windows)`, as `unfold` gives.
        output_size: `(height, width)` of the images.
        kernel_size, dilation, padding, stride: as of `unfold`.

    Returns:
        `(batch, channels, height, width)`.
    """
    height, width = windows.each(output_size, 2, "output_size")
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
