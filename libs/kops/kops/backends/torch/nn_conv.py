"""Convolution kernels.

PyTorch's convolutions want channels first. A channels-last input is *viewed* so: its strides are then those of
PyTorch's `channels_last` memory format, which the kernels run in without copying, and the result is viewed back.
"""

from __future__ import annotations

from typing import Any, Sequence

import torch.nn.functional as F

from kops import windows

_CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
_CONV_TRANSPOSE = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def to_first(x: Any, g: windows.Geometry) -> Any:
    return x if g.channels_first else x.movedim(-1, 1)


def from_first(x: Any, g: windows.Geometry) -> Any:
    return x if g.channels_first else x.movedim(1, -1)


def split_pads(x: Any, pads: Sequence[tuple[int, int]], value: float = 0.0) -> tuple[Any, tuple[int, ...]]:
    """Padding that kernels can do themselves (equal on both sides) is left to them, any other is done here."""
    if all(a == b for a, b in pads):
        return x, tuple(a for a, _ in pads)
    flat = [p for pair in reversed(pads) for p in pair]
    return F.pad(x, flat, value=value), (0,) * len(pads)


def _run(x: Any, kernel: Any, weight: Any, groups: int, g: windows.Geometry) -> Any:
    x = to_first(x, g)
    x, pads = split_pads(x, windows.paddings(x.shape[2:], kernel.shape[:-2], g))
    return from_first(_CONV[g.n](x, weight, None, g.strides, pads, g.dilation, groups), g)


def conv(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    g = windows.geometry(x.ndim, strides, padding, data_format, dilation_rate)
    weight = kernel.movedim((-1, -2), (0, 1))
    return _run(x, kernel, weight, windows.channels(x.shape, g) // kernel.shape[-2], g)


def depthwise_conv(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    g = windows.geometry(x.ndim, strides, padding, data_format, dilation_rate)
    depth = kernel.shape[-2]
    if windows.channels(x.shape, g) != depth:
        raise ValueError("The kernel is for another number of channels.")
    weight = kernel.flatten(-2).movedim(-1, 0).unsqueeze(1)
    return _run(x, kernel, weight, depth, g)


def conv_transpose(
    x: Any, kernel: Any, strides: Any, padding: str, output_padding: Any, data_format: Any, dilation_rate: Any
) -> Any:
    g = windows.geometry(x.ndim, strides, padding, data_format, dilation_rate)
    crops = windows.transposed_crop(kernel.shape[:-2], output_padding, g)
    weight = kernel.movedim((-1, -2), (0, 1))
    # The kernel crops as much at the end as in front, and can add less than a stride or dilation again there.
    again = [before - after for before, after in crops]
    own = all(0 <= a < max(s, d) for a, s, d in zip(again, g.strides, g.dilation))
    pads = tuple(before for before, _ in crops) if own else 0
    added = again if own else 0
    y = _CONV_TRANSPOSE[g.n](to_first(x, g), weight, None, g.strides, pads, added, 1, g.dilation)
    if not own:
        y = F.pad(y, [-c for pair in reversed(crops) for c in pair])
    return from_first(y, g)


TABLE = {"conv": conv, "depthwise_conv": depthwise_conv, "conv_transpose": conv_transpose}
