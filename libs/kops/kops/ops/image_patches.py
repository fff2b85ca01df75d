"""Patches of images, padding and cropping."""

from __future__ import annotations

from typing import Any

import kops
from kops import images as layouts
from kops import promote, shapes, windows
from kops.declare import Tensor, composite


def _patch_geometry(
    x: Any, size: Any, strides: Any, dilation_rate: Any, padding: str, data_format: Any, n: int
) -> tuple[windows.Geometry, tuple[int, ...], bool]:
    """Checked arguments, the window, and whether the batch is missing."""
    layouts.layout(len(x.shape), data_format, n)
    window = windows.each(size, n, "size")
    g = windows.geometry(n + 2, window if strides is None else strides, padding, data_format, dilation_rate)
    return g, window, len(x.shape) == n + 1


def _patch_shape(n: int) -> Any:
    def rule(x: Any, size: Any, strides: Any, dilation_rate: Any, padding: str, data_format: Any) -> shapes.Shape:
        g, window, lone = _patch_geometry(x, size, strides, dilation_rate, padding, data_format, n)
        shape = (1, *x.shape) if lone else tuple(x.shape)
        result = windows.slide(shape, window, shapes.product((windows.channels(shape, g), *window)), g)
        return result[1:] if lone else result

    return rule


def _patches(x: Any, arguments: Any, n: int) -> Any:
    size, strides, dilation_rate, padding, data_format = arguments
    g, window, _ = _patch_geometry(x, size, strides, dilation_rate, padding, data_format, n)

    def cut(x: Any) -> Any:
        sizes = x.shape[1:-1]
        if None in tuple(sizes):
            raise ValueError("Patches need images of known height and width.")
        pads = windows.paddings(sizes, window, g)
        if any(a or b for a, b in pads):
            x = kops.pad(x, [[0, 0], *(list(p) for p in pads), [0, 0]])
        return kops.concatenate(list(windows.taps(x, window, g)), axis=-1)

    return layouts.as_batch(x, data_format, cut, n)


@composite("keras.ops.image.extract_patches", dtype=promote.common, shape=_patch_shape(2))
def extract_patches(
    images: Tensor,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
) -> Any:
    """Rectangles cut out of images, each laid out in the channels: row by row, and in each pixel its channels.

    Args:
        images: `(batch, height, width, channels)` or `(height, width, channels)`, or with channels first.
        size: of a patch, an int or `(height, width)`.
        strides: distance between patches, default their size.
        dilation_rate: distance between the pixels of a patch.
        padding: `"valid"`, or `"same"` to pad with zeros.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        `(batch, rows, columns, height * width * channels)`, or as the images are laid out.
    """
    return _patches(images, (size, strides, dilation_rate, padding, data_format), 2)


@composite("keras.ops.image.extract_patches_3d", dtype=promote.common, shape=_patch_shape(3), node="ExtractPatches3D")
def extract_patches_3d(
    volumes: Tensor,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
) -> Any:
    """Blocks cut out of volumes, each laid out in the channels.

    Args:
        volumes: `(batch, depth, height, width, channels)`, or without a batch, or with channels first.
        size: of a block, an int or `(depth, height, width)`.
        strides: distance between blocks, default their size.
        dilation_rate: distance between the voxels of a block.
        padding: `"valid"`, or `"same"` to pad with zeros.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        `(batch, planes, rows, columns, depth * height * width * channels)`, or as the volumes are laid out.
    """
    return _patches(volumes, (size, strides, dilation_rate, padding, data_format), 3)


def _margins(x: Any, values: Any, names: tuple[str, str, str], axis: int, grow: bool) -> tuple[Any, Any]:
    """Margins before and after a dimension of which two of (before, after, target) are given."""
    before, after, target = values
    if sum(v is not None for v in values) != 2:
        raise ValueError(f"exactly two of {', '.join(names)} must be given, not {values}.")
    size = x.shape[axis]
    if target is not None:
        if size is None:
            raise ValueError(f"{names[2]} needs images whose size along axis {axis} is known.")
        rest = target - size if grow else size - target
        before, after = (rest - after, after) if before is None else (before, rest - before)
    for name, value in zip(names, (before, after)):
        if value < 0:
            raise ValueError(f"{name} must not be negative, and is {value}.")
    if not grow and size is not None and before + after > size:
        raise ValueError(f"{before} and {after} are more than the {size} positions of axis {axis}.")
    return before, after


def _all_margins(
    word: str, x: Any, top: Any, left: Any, bottom: Any, right: Any, height: Any, width: Any, data_format: Any
) -> tuple[dict[int, tuple[int, int]], shapes.Shape]:
    rows, columns, _ = layouts.axes(x, data_format)
    grow = word == "padding"
    margins = {
        rows: _margins(x, (top, bottom, height), (f"top_{word}", f"bottom_{word}", "target_height"), rows, grow),
        columns: _margins(x, (left, right, width), (f"left_{word}", f"right_{word}", "target_width"), columns, grow),
    }
    sign = 1 if grow else -1
    shape = tuple(d if d is None or i not in margins else d + sign * sum(margins[i]) for i, d in enumerate(x.shape))
    return margins, shape


def _margin_shape(word: str) -> Any:
    return lambda images, *sizes: _all_margins(word, images, *sizes)[1]


@composite("keras.ops.image.pad_images", dtype=promote.common, shape=_margin_shape("padding"))
def pad_images(
    images: Tensor,
    top_padding: int | None = None,
    left_padding: int | None = None,
    bottom_padding: int | None = None,
    right_padding: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: Any = None,
) -> Any:
    """Images with zeros around them. Of top, bottom and target height give two; so of left, right and target width.

    Args:
        images: `(batch, height, width, channels)` or `(height, width, channels)`, or with channels first.
        top_padding, left_padding, bottom_padding, right_padding: numbers of pixels.
        target_height, target_width: the size of the result.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        The larger images.
    """
    sizes = (top_padding, left_padding, bottom_padding, right_padding, target_height, target_width)
    margins, _ = _all_margins("padding", images, *sizes, data_format)
    return kops.pad(images, [list(margins.get(i, (0, 0))) for i in range(len(images.shape))])


@composite("keras.ops.image.crop_images", dtype=promote.common, shape=_margin_shape("cropping"))
def crop_images(
    images: Tensor,
    top_cropping: int | None = None,
    left_cropping: int | None = None,
    bottom_cropping: int | None = None,
    right_cropping: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: Any = None,
) -> Any:
    """Images without their margins. Of top, bottom and target height give two; so of left, right and target width.

    Args:
        images: `(batch, height, width, channels)` or `(height, width, channels)`, or with channels first.
        top_cropping, left_cropping, bottom_cropping, right_cropping: numbers of pixels.
        target_height, target_width: the size of the result.
        data_format: `"channels_last"` or `"channels_first"`, default as configured.

    Returns:
        The smaller images.
    """
    sizes = (top_cropping, left_cropping, bottom_cropping, right_cropping, target_height, target_width)
    margins, _ = _all_margins("cropping", images, *sizes, data_format)
    key = [slice(None)] * len(images.shape)
    for axis, (before, after) in margins.items():
        key[axis] = slice(before, -after if after else None)
    return images[tuple(key)]
