"""Images by TensorFlow's own kernels, which have channels last."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops import images
from kops.declare import OPS


def _resize(x: Any, size: Any, interpolation: str, antialias: bool, *static: Any) -> Any:
    # The kernel answers in float32, and its cubic is another. What is fitted to an aspect ratio is cut or padded first.
    crop, pad, fill_mode, _, data_format = static
    usual = interpolation == "bilinear" and fill_mode == "constant" and not (antialias or crop or pad)
    known = len(x.shape) in (3, 4) and None not in x.shape[-3:] and 0 not in x.shape
    last = known and images.axes(x, data_format)[2] == len(x.shape) - 1
    if not (usual and last and x.dtype == tf.float32):
        return OPS["resize"].formula(x, size, interpolation, antialias, *static)
    return tf.image.resize(x, images.pair(size, "size"))


def _last(name: str, native: Any) -> Any:
    def kernel(x: Any, block_size: int, data_format: str) -> Any:
        if data_format != "channels_last" or len(x.shape) != 4 or 0 in x.shape:
            return OPS[name].formula(x, block_size, data_format)
        return native(x, block_size)

    return kernel


TABLE = {
    "depth_to_space": _last("depth_to_space", tf.nn.depth_to_space),
    "resize": _resize,
    "space_to_depth": _last("space_to_depth", tf.nn.space_to_depth),
}
