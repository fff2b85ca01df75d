"""Images by TensorFlow's own kernels, which have channels last."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops import images
from kops.backends.tensorflow.eager import no_nan, recording
from kops.backends.tensorflow.graphs import formula


def _resize(x: Any, size: Any, interpolation: str, antialias: bool, *static: Any) -> Any:
    # The kernel answers in float32, and its cubic is another. What is fitted to an aspect ratio is cut or padded first.
    crop, pad, fill_mode, _, data_format = static
    usual = interpolation == "bilinear" and fill_mode == "constant" and not (antialias or crop or pad)
    known = len(x.shape) in (3, 4) and None not in x.shape[-3:] and 0 not in x.shape
    last = known and images.axes(x, data_format)[2] == len(x.shape) - 1
    if not (usual and last and x.dtype == tf.float32):
        return formula("resize")(x, size, interpolation, antialias, *static)
    return tf.image.resize(x, images.pair(size, "size"))


def _last(name: str, native: Any) -> Any:
    def kernel(x: Any, block_size: int, data_format: str) -> Any:
        if data_format != "channels_last" or len(x.shape) != 4 or 0 in x.shape:
            return formula(name)(x, block_size, data_format)
        return native(x, block_size)

    return kernel


def _rgb_to_hsv(x: Any, data_format: Any) -> Any:
    # The kernel drops NaN, and its gradient is another.
    if recording() or images.colours(x, data_format) != len(x.shape) - 1 or not no_nan(x):
        return formula("rgb_to_hsv")(x, data_format)
    return tf.image.rgb_to_hsv(x)


TABLE = {
    "depth_to_space": _last("depth_to_space", tf.nn.depth_to_space),
    "resize": _resize,
    "rgb_to_hsv": _rgb_to_hsv,
    "space_to_depth": _last("space_to_depth", tf.nn.space_to_depth),
}
