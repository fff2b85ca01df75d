"""Formats of bounding boxes, and boxes cut to their image.

A format names what the four numbers are: corners (`xyxy`, `yxyx`), a corner and a size (`xywh`), or the centre and a
size (`center_xywh`, `center_yxhw`); with `rel_` in front as shares of the image's width and height.
"""

from __future__ import annotations

from typing import Any

import kops
from kspec import public

FORMATS = ("xyxy", "yxyx", "xywh", "center_xywh", "center_yxhw", "rel_xyxy", "rel_yxyx", "rel_xywh", "rel_center_xywh")


def _check(name: str, value: Any) -> None:
    if value not in FORMATS:
        raise ValueError(f"{name} must be one of {', '.join(FORMATS)}, not {value!r}.")


def _split(boxes: Any) -> list[Any]:
    return [boxes[..., i] for i in range(4)]


def _scaled(boxes: Any, kind: str, height: Any, width: Any, divide: bool) -> Any:
    """Boxes of relative numbers as pixels, or the other way."""
    if height is None or width is None:
        raise ValueError(f"Relative formats need the height and width of the image; got {height} and {width}.")
    sizes = (height, width) if "yx" in kind else (width, height)
    parts = []
    for i, part in enumerate(_split(boxes)):
        size = sizes[i % 2]
        size = float(size) if isinstance(size, int) else kops.cast(size, part.dtype)
        if hasattr(size, "shape") and len(size.shape) == 1:
            size = kops.expand_dims(size, -1)  # one size per image, for all its boxes
        parts.append(part / size if divide else part * size)
    return kops.stack(parts, axis=-1)


def to_corners(boxes: Any, source: str, height: Any = None, width: Any = None) -> Any:
    """Boxes of any format as `xyxy` in pixels."""
    if source.startswith("rel_"):
        boxes = _scaled(boxes, source, height, width, divide=False)
    kind = source[4:] if source.startswith("rel_") else source
    if kind == "xyxy":
        return boxes
    a, b, c, d = _split(boxes)
    if kind == "yxyx":
        parts = [b, a, d, c]
    elif kind == "xywh":
        parts = [a, b, a + c, b + d]
    else:
        if kind == "center_yxhw":
            a, b, c, d = b, a, d, c
        parts = [a - c / 2.0, b - d / 2.0, a + c / 2.0, b + d / 2.0]
    return kops.stack(parts, axis=-1)


def from_corners(boxes: Any, target: str, height: Any = None, width: Any = None) -> Any:
    """`xyxy` boxes in pixels in any format."""
    kind = target[4:] if target.startswith("rel_") else target
    if kind != "xyxy":
        x0, y0, x1, y1 = _split(boxes)
        if kind == "yxyx":
            parts = [y0, x0, y1, x1]
        elif kind == "xywh":
            parts = [x0, y0, x1 - x0, y1 - y0]
        else:
            parts = [(x0 + x1) / 2.0, (y0 + y1) / 2.0, x1 - x0, y1 - y0]
            if kind == "center_yxhw":
                parts = [parts[1], parts[0], parts[3], parts[2]]
        boxes = kops.stack(parts, axis=-1)
    return _scaled(boxes, target, height, width, divide=True) if target.startswith("rel_") else boxes


@public("keras.utils.bounding_boxes.convert_format")
def convert_format(
    boxes: Any, source: str, target: str, height: Any = None, width: Any = None, dtype: str = "float32"
) -> Any:
    """Boxes in another format.

    Args:
        boxes: `(..., boxes, 4)`, or a dict with `"boxes"`, whose other entries stay.
        source, target: formats: `xyxy`, `yxyx`, `xywh`, `center_xywh`, `center_yxhw`, `rel_xyxy`, `rel_yxyx`,
            `rel_xywh`, `rel_center_xywh`.
        height, width: of the image, for relative formats; numbers, or one per image.
        dtype: of the result.

    Returns:
        Like `boxes`.

    Example:
        >>> convert_format([[10.0, 20.0, 30.0, 60.0]], "xyxy", "xywh")
        [[10.0, 20.0, 20.0, 40.0]]
    """
    _check("source", source)
    _check("target", target)
    if isinstance(boxes, dict):
        changed = convert_format(boxes["boxes"], source, target, height, width, dtype)
        return {**boxes, "boxes": changed}
    boxes = kops.cast(kops.convert_to_tensor(boxes), dtype)
    if len(boxes.shape) < 2 or boxes.shape[-1] != 4:
        raise ValueError(f"boxes must have shape (..., boxes, 4), not {tuple(boxes.shape)}.")
    if source == target:
        return boxes
    return from_corners(to_corners(boxes, source, height, width), target, height, width)


@public("keras.utils.bounding_boxes.clip_to_image_size")
def clip_to_image_size(
    bounding_boxes: Any, height: Any = None, width: Any = None, bounding_box_format: str = "xyxy"
) -> Any:
    """Boxes cut at the edges of their image; the label of a box of which nothing is left becomes -1.

    Args:
        bounding_boxes: dict with `"boxes"` `(..., boxes, 4)` and `"labels"` `(..., boxes)`.
        height, width: of the image.
        bounding_box_format: see `convert_format`.

    Returns:
        The dict with new boxes and labels.
    """
    _check("bounding_box_format", bounding_box_format)
    boxes = kops.convert_to_tensor(bounding_boxes["boxes"])
    labels = kops.convert_to_tensor(bounding_boxes["labels"])
    relative = bounding_box_format == "rel_xyxy" and height is None
    if relative:
        height, width = 1, 1
    x0, y0, x1, y1 = _split(to_corners(boxes, bounding_box_format, height, width))
    x0, x1 = (_between(x, width) for x in (x0, x1))
    y0, y1 = (_between(y, height) for y in (y0, y1))
    empty = (x1 - x0) * (y1 - y0) <= 0.0
    cut = kops.stack([x0, y0, x1, y1], axis=-1)
    cut = from_corners(cut, bounding_box_format, height, width)
    labels = kops.where(empty, kops.full_like(labels, -1), labels)
    return {**bounding_boxes, "boxes": cut, "labels": labels}


def _between(x: Any, size: Any) -> Any:
    size = float(size) if isinstance(size, int) else kops.cast(size, x.dtype)
    return kops.minimum(kops.maximum(x, 0.0), size)
