"""Convolution kernels."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
from jax import lax

from kops import windows

_LAYOUTS = {
    (n, first): ("NC" + axes if first else "N" + axes + "C", axes + "IO", "NC" + axes if first else "N" + axes + "C")
    for n, axes in ((1, "H"), (2, "HW"), (3, "HWD"))
    for first in (False, True)
}


def conv(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    g = windows.geometry(x.ndim, strides, padding, data_format, dilation_rate)
    windows.check_kernel(x, kernel, kernel.shape[-2], g)
    return lax.conv_general_dilated(
        x,
        kernel,
        g.strides,
        windows.paddings(windows.spatial(x.shape, g), kernel.shape[:-2], g),
        rhs_dilation=g.dilation,
        dimension_numbers=_LAYOUTS[g.n, g.channels_first],
        feature_group_count=windows.channels(x.shape, g) // kernel.shape[-2],
    )


@partial(jax.jit, static_argnums=2)
def _shifted(x: Any, kernel: Any, g: windows.Geometry) -> Any:
    """Depthwise convolution as a sum of shifted inputs, which XLA fuses into one loop."""
    window = kernel.shape[:-2]
    pads = windows.paddings(x.shape[1:-1], window, g)
    x = jax.numpy.pad(x, ((0, 0), *pads, (0, 0)))
    weights = kernel.reshape(-1, kernel.shape[-2])
    return sum(part * weight for part, weight in zip(windows.taps(x, window, g), weights))


def _wants_shifts(x: Any, kernel: Any, g: windows.Geometry) -> bool:
    """On the CPU XLA's grouped convolution is a slow loop; few taps in float32 are several times faster as shifts."""
    taps = 1
    for w in kernel.shape[:-2]:
        taps *= w
    return (
        not g.channels_first
        and kernel.shape[-1] == 1
        and taps <= 25
        and x.dtype == "float32"
        and jax.default_backend() == "cpu"
    )


def depthwise_conv(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    g = windows.geometry(x.ndim, strides, padding, data_format, dilation_rate)
    depth, multiplier = kernel.shape[-2:]
    if windows.channels(x.shape, g) != depth:
        raise ValueError("The kernel is for another number of channels.")
    windows.check_kernel(x, kernel, depth, g)
    if _wants_shifts(x, kernel, g):
        return _shifted(x, kernel, g)
    grouped = kernel.reshape(*kernel.shape[:-2], 1, depth * multiplier)
    return conv(x, grouped, strides, padding, data_format, dilation_rate)


def conv_transpose(
    x: Any, kernel: Any, strides: Any, padding: str, output_padding: Any, data_format: Any, dilation_rate: Any
) -> Any:
    g = windows.geometry(x.ndim, strides, padding, data_format, dilation_rate)
    windows.check_kernel(x, kernel, kernel.shape[-1], g)
    window = kernel.shape[:-2]
    crops = windows.transposed_crop(window, output_padding, g)
    edges = [windows.extent(w, d) - 1 for w, d in zip(window, g.dilation)]
    # The convolution of the spread input with the flipped kernel; a negative crop is more padding.
    return lax.conv_general_dilated(
        x,
        lax.rev(kernel, range(g.n)).swapaxes(-1, -2),
        (1,) * g.n,
        [(edge - before, edge - after) for edge, (before, after) in zip(edges, crops)],
        lhs_dilation=g.strides,
        rhs_dilation=g.dilation,
        dimension_numbers=_LAYOUTS[g.n, g.channels_first],
    )


TABLE = {"conv": conv, "depthwise_conv": depthwise_conv, "conv_transpose": conv_transpose}
