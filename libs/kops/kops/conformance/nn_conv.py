"""Rows of the convolutions. The reference spreads dilated kernels, cuts all windows and contracts them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from kops.conformance.rows import F, case, row


def _each(value: Any, n: int) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n


def _spread(kernel: Any, dilation: Any) -> Any:
    """Zeros between the taps."""
    n = kernel.ndim - 2
    shape = [(w - 1) * d + 1 for w, d in zip(kernel.shape, dilation)]
    wide = np.zeros((*shape, *kernel.shape[n:]), kernel.dtype)
    wide[tuple(slice(None, None, d) for d in dilation)] = kernel
    return wide


def _conv(
    inputs: Any, kernel: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None, dilation_rate: Any = 1
) -> Any:
    n = inputs.ndim - 2
    strides, dilation = _each(strides, n), _each(dilation_rate, n)
    x = np.moveaxis(inputs, 1, -1) if data_format == "channels_first" else inputs
    k = _spread(kernel, dilation)
    if padding == "same":
        pads = []
        for size, w, s in zip(x.shape[1:], k.shape, strides):
            total = max((int(np.ceil(size / s)) - 1) * s + w - size, 0)
            pads.append((total // 2, total - total // 2))
        x = np.pad(x, [(0, 0), *pads, (0, 0)])
    cut = np.lib.stride_tricks.sliding_window_view(x, k.shape[:n], axis=tuple(range(1, n + 1)))
    cut = cut[(slice(None), *(slice(None, None, s) for s in strides))]
    groups = x.shape[-1] // k.shape[-2]
    taken, out = k.shape[-2], k.shape[-1] // groups
    parts = []
    for i in range(groups):
        a = cut[(..., slice(i * taken, (i + 1) * taken), *(slice(None),) * n)]
        b = np.moveaxis(k[..., i * out : (i + 1) * out], -2, 0)
        parts.append(np.tensordot(a, b, n + 1))
    y = np.concatenate(parts, -1)
    return np.moveaxis(y, -1, 1) if data_format == "channels_first" else y


def _depthwise(inputs: Any, kernel: Any, *args: Any, **static: Any) -> Any:
    return _conv(inputs, kernel.reshape(*kernel.shape[:-2], 1, -1), *args, **static)


def _separable(inputs: Any, depthwise: Any, pointwise: Any, **static: Any) -> Any:
    return _conv(_depthwise(inputs, depthwise, **static), pointwise, data_format=static.get("data_format"))


def _transpose(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: Any = "valid",
    output_padding: Any = None,
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    n = inputs.ndim - 2
    strides = _each(strides, n)
    k = _spread(kernel, _each(dilation_rate, n))
    x = np.moveaxis(inputs, 1, -1) if data_format == "channels_first" else inputs
    sizes = x.shape[1:-1]
    full = np.zeros((x.shape[0], *((m - 1) * s + w for m, s, w in zip(sizes, strides, k.shape)), k.shape[-2]), x.dtype)
    for place in itertools.product(*map(range, sizes)):
        spot = tuple(slice(p * s, p * s + w) for p, s, w in zip(place, strides, k.shape))
        full[(slice(None), *spot)] += np.moveaxis(np.tensordot(x[(slice(None), *place)], k, (1, -1)), 0, 0)
    for axis, (m, s, w) in enumerate(zip(sizes, strides, k.shape), 1):
        if output_padding is None:
            size = m * s + (max(w - s, 0) if padding == "valid" else 0)
        else:
            extra = _each(output_padding, n)[axis - 1]
            size = (m - 1) * s + w + extra - (2 * (w // 2) if padding == "same" else 0)
        have = full.shape[axis]
        front = max(have - size, 0) // 2
        full = np.pad(full, [(0, max(size - have, 0) if a == axis else 0) for a in range(full.ndim)])
        full = np.take(full, range(front, front + size), axis)
    return np.moveaxis(full, -1, 1) if data_format == "channels_first" else full


_HALVES = ("float32", "float16", "bfloat16")
_TOL = 2e-5


def _row(*args: Any, **facts: Any) -> Any:
    return row(*args, dynamic="first", **facts)


ROWS = [
    _row(
        "conv",
        F(2, 5, 6, 3),
        F(3, 3, 3, 4),
        ref=_conv,
        grad=True,
        dtypes=_HALVES,
        tol=_TOL,
        bad=[
            case(F(2, 5, 6, 3), F(3, 3, 2, 4), match="channels"),
            case(F(2, 5, 6, 3), F(3, 3, 4), match="dimensions"),
            case(F(2, 2, 6, 3), F(3, 3, 3, 4), match="fit"),
            case(F(2, 5, 6, 3), F(3, 3, 3, 4), padding="causal", match="padding"),
            case(F(2, 5, 6, 3), F(3, 3, 3, 4), strides=0, match="strides"),
            case(F(2, 5, 6, 3), F(3, 3, 3, 4), data_format="nchw", match="data_format"),
        ],
    ),
    _row("conv", F(2, 5, 6, 3), F(3, 2, 3, 4), strides=(2, 1), padding="same", ref=_conv, grad=True, tol=_TOL),
    _row(
        "conv",
        F(2, 3, 5, 6),
        F(3, 2, 3, 4),
        strides=2,
        padding="same",
        data_format="channels_first",
        ref=_conv,
        grad=True,
        tol=_TOL,
    ),
    _row("conv", F(2, 7, 8, 4), F(3, 2, 2, 6), dilation_rate=(2, 1), padding="same", ref=_conv, grad=True, tol=_TOL),
    _row("conv", F(2, 7, 4), F(3, 4, 6), strides=2, dilation_rate=2, padding="same", ref=_conv, tol=_TOL),
    _row("conv", F(2, 4, 5, 3, 2), F(2, 3, 2, 2, 3), padding="same", ref=_conv, grad=True, tol=_TOL),
    _row("conv", F(2, 2, 4, 5, 3), F(2, 3, 2, 2, 3), strides=2, data_format="channels_first", ref=_conv, tol=_TOL),
    _row("conv", F(0, 5, 3), F(3, 3, 4), ref=np.zeros((0, 3, 4))),
    _row(
        "depthwise_conv",
        F(2, 6, 7, 3),
        F(3, 3, 3, 1),
        padding="same",
        ref=_depthwise,
        grad=True,
        dtypes=_HALVES,
        tol=_TOL,
        bad=[case(F(2, 6, 7, 3), F(3, 3, 2, 1), match="channels")],
    ),
    _row("depthwise_conv", F(2, 6, 7, 3), F(3, 2, 3, 2), strides=2, ref=_depthwise, grad=True, tol=_TOL),
    _row("depthwise_conv", F(2, 6, 7, 3), F(3, 2, 3, 2), strides=(2, 1), padding="same", ref=_depthwise, tol=_TOL),
    _row("depthwise_conv", F(2, 6, 7, 3), F(3, 2, 3, 1), dilation_rate=2, padding="same", ref=_depthwise, tol=_TOL),
    _row(
        "depthwise_conv",
        F(2, 3, 6, 7),
        F(3, 2, 3, 2),
        strides=2,
        padding="same",
        data_format="channels_first",
        ref=_depthwise,
        tol=_TOL,
    ),
    _row("depthwise_conv", F(2, 6, 3), F(3, 3, 2), strides=2, padding="same", ref=_depthwise, grad=True, tol=_TOL),
    _row("depthwise_conv", F(2, 4, 5, 3, 2), F(2, 2, 3, 2, 2), ref=_depthwise, tol=_TOL),
    _row(
        "separable_conv",
        F(2, 6, 7, 3),
        F(3, 3, 3, 2),
        F(1, 1, 6, 4),
        strides=2,
        padding="same",
        ref=_separable,
        grad=True,
        tol=1e-4,
    ),
    _row(
        "conv_transpose",
        F(2, 3, 4, 3),
        F(3, 3, 2, 3),
        ref=_transpose,
        grad=True,
        dtypes=_HALVES,
        tol=_TOL,
        bad=[
            case(F(2, 3, 4, 3), F(3, 3, 2, 4), match="channels"),
            case(F(2, 3, 4, 3), F(3, 3, 2, 3), output_padding=1, match="output_padding"),
        ],
    ),
    _row(
        "conv_transpose", F(2, 3, 4, 3), F(3, 2, 2, 3), strides=2, padding="same", ref=_transpose, grad=True, tol=_TOL
    ),
    _row(
        "conv_transpose",
        F(2, 3, 3, 4),
        F(5, 4, 2, 3),
        strides=(2, 3),
        padding="same",
        output_padding=1,
        data_format="channels_first",
        ref=_transpose,
        tol=_TOL,
    ),
    _row("conv_transpose", F(2, 3, 3), F(2, 2, 3), strides=3, ref=_transpose, grad=True, tol=_TOL),
    _row(
        "conv_transpose", F(2, 5, 3), F(3, 2, 3), dilation_rate=2, padding="same", ref=_transpose, grad=True, tol=_TOL
    ),
    _row("conv_transpose", F(1, 2, 3, 2, 2), F(3, 2, 3, 3, 2), strides=2, padding="same", ref=_transpose, tol=_TOL),
]
