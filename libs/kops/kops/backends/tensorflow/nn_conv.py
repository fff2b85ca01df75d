"""Convolution kernels.

Always with channels last: on the CPU TensorFlow has no other, and XLA turns formats around by itself.
"""

from __future__ import annotations

from typing import Any, Sequence

import tensorflow as tf

from kops import windows


def to_last(x: Any, g: windows.Geometry) -> Any:
    return tf.transpose(x, [0, *range(2, g.n + 2), 1]) if g.channels_first else x


def from_last(x: Any, g: windows.Geometry) -> Any:
    return tf.transpose(x, [0, g.n + 1, *range(1, g.n + 1)]) if g.channels_first else x


def _padded_for_stride(x: Any, window: Sequence[int], g: windows.Geometry) -> Any:
    """Padding that belongs to the stride, made explicit."""
    if g.padding == "valid":
        return x
    sizes = tf.shape(x)[1:-1] if None in x.shape[1:-1] else x.shape[1:-1]
    pads = []
    for i, (w, s, d) in enumerate(zip(window, g.strides, g.dilation)):
        total = (-(-sizes[i] // s) - 1) * s + windows.extent(w, d) - sizes[i]
        total = max(total, 0) if isinstance(total, int) else tf.maximum(total, 0)
        pads.append([total // 2, total - total // 2])
    return tf.pad(x, [[0, 0], *pads, [0, 0]])


def _strided(run: Any, x: Any, window: Sequence[int], g: windows.Geometry) -> Any:
    """`run(x, strides, padding)`; TensorFlow cannot both stride and dilate, so then the stride is taken afterwards."""
    if max(g.strides) == 1 or max(g.dilation) == 1:
        return run(x, g.strides, g.padding.upper())
    y = run(_padded_for_stride(x, window, g), (1,) * g.n, "VALID")
    return y[(slice(None), *(slice(None, None, s) for s in g.strides))]


def conv(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    g = windows.geometry(len(x.shape), strides, padding, data_format, dilation_rate)
    sizes = windows.slide(x.shape, kernel.shape[:-2], kernel.shape[-1], g)
    if windows.channels(x.shape, g) == 0 or 0 in sizes and None not in sizes:
        raise ValueError("Rules know what comes of nothing.")
    if 0 in sizes:  # the oneDNN kernel then gives the shape of the input
        return tf.zeros([0 if d is None else d for d in sizes], x.dtype)
    x = to_last(x, g)
    layout = "N" + "DHW"[3 - g.n :] + "C"  # said, or the gradient of three dimensions fails

    def run(part: Any, steps: Any, pad: str) -> Any:
        groups = part.shape[-1] // kernel.shape[-2]
        if groups == 1:
            return tf.nn.convolution(part, kernel, steps, pad, layout, g.dilation)
        # Grouped convolutions have no gradient on the CPU.
        pairs = zip(tf.split(part, groups, -1), tf.split(kernel, groups, -1))
        return tf.concat([tf.nn.convolution(a, b, steps, pad, layout, g.dilation) for a, b in pairs], -1)

    return from_last(_strided(run, x, kernel.shape[:-2], g), g)


def depthwise_conv(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    g = windows.geometry(len(x.shape), strides, padding, data_format, dilation_rate)
    if windows.channels(x.shape, g) != kernel.shape[-2]:
        raise ValueError("The kernel is for another number of channels.")
    if 0 in windows.slide(x.shape, kernel.shape[:-2], 1, g):
        raise ValueError("TensorFlow gives an empty tensor the shape of the input.")
    if g.n == 3:
        grouped = tf.reshape(kernel, [*kernel.shape[:-2], 1, kernel.shape[-2] * kernel.shape[-1]])
        return conv(x, grouped, strides, padding, data_format, dilation_rate)
    x = to_last(x, g)
    window = kernel.shape[:-2]
    if g.n == 1:
        # As two-dimensional, with equal strides.
        x, filters = x[:, None], kernel[None]
        pad_g = g._replace(n=2, strides=g.strides * 2, dilation=(1, *g.dilation))
    elif g.strides[0] == g.strides[1]:
        filters, pad_g = kernel, g
    else:
        # The kernel wants equal strides: every position, then those that are wanted.
        filters = kernel
        y = tf.nn.depthwise_conv2d(
            _padded_for_stride(x, window, g), kernel, [1, 1, 1, 1], "VALID", dilations=g.dilation
        )
        return from_last(y[:, :: g.strides[0], :: g.strides[1]], g)

    def run(part: Any, steps: Any, pad: str) -> Any:
        return tf.nn.depthwise_conv2d(part, filters, [1, *steps, 1], pad, dilations=pad_g.dilation)

    y = _strided(run, x, filters.shape[:-2], pad_g)
    return from_last(y[:, 0] if g.n == 1 else y, g)


def _spread(kernel: Any, g: windows.Geometry) -> Any:
    """The kernel with zeros between its taps: gradients of dilated convolutions are missing on the CPU."""
    for axis, d in enumerate(g.dilation):
        if d > 1:
            zeros = tf.zeros_like(kernel)
            shape = list(kernel.shape)
            stacked = tf.stack([kernel] + [zeros] * (d - 1), axis + 1)
            shape[axis] *= d
            kernel = tf.reshape(stacked, shape)
            kernel = kernel[(slice(None),) * axis + (slice(None, shape[axis] - d + 1),)]
    return kernel


def conv_transpose(
    x: Any, kernel: Any, strides: Any, padding: str, output_padding: Any, data_format: Any, dilation_rate: Any
) -> Any:
    g = windows.geometry(len(x.shape), strides, padding, data_format, dilation_rate)
    crops = windows.transposed_crop(kernel.shape[:-2], output_padding, g)
    x = to_last(x, g)
    if x.shape[-1] != kernel.shape[-1]:
        raise ValueError("The kernel is for another number of channels.")
    if 0 in (*x.shape, *kernel.shape):
        raise ValueError("Without elements oneDNN ends the process.")  # then the rules have the word
    kernel = _spread(kernel, g)
    shape = tf.shape(x)
    full = [(shape[i + 1] - 1) * s + w for i, (s, w) in enumerate(zip(g.strides, kernel.shape))]
    whole = tf.stack([shape[0], *full, kernel.shape[-2]])
    y = tf.nn.conv_transpose(x, kernel, whole, g.strides, "VALID")
    keep = tuple(slice(before, -after if after > 0 else None) for before, after in crops)
    y = y[(slice(None), *keep)]
    if min(after for _, after in crops) < 0:
        y = tf.pad(y, [[0, 0], *([0, max(-after, 0)] for _, after in crops), [0, 0]])
    sizes = windows.transposed_sizes(x.shape[1:-1], kernel.shape[:-2], crops, g._replace(dilation=(1,) * g.n))
    return from_last(tf.ensure_shape(y, [x.shape[0], *sizes, kernel.shape[-2]]), g)


def _also_complex(f: Any) -> Any:
    """TensorFlow convolves real numbers; complex ones are four real convolutions."""

    def run(x: Any, kernel: Any, *static: Any) -> Any:
        if not x.dtype.is_complex:
            return f(x, kernel, *static)
        a, b, c, d = tf.math.real(x), tf.math.imag(x), tf.math.real(kernel), tf.math.imag(kernel)
        real = f(a, c, *static) - f(b, d, *static)
        return tf.complex(real, f(a, d, *static) + f(b, c, *static))

    return run


TABLE = {
    "conv": _also_complex(conv),
    "depthwise_conv": _also_complex(depthwise_conv),
    "conv_transpose": _also_complex(conv_transpose),
}
