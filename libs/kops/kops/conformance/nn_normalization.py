"""Rows of the normalizations."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.conformance.rows import F, P, case, row


def _along(w: Any, x: Any, axes: Any) -> Any:
    shape = [x.shape[a] if a in axes else 1 for a in range(x.ndim)]
    return w.reshape(shape) if w is not None and w.shape == tuple(x.shape[a] for a in axes) else w


def _batch(
    x: Any, mean: Any, variance: Any, axis: Any, offset: Any = None, scale: Any = None, epsilon: float = 1e-3
) -> Any:
    mean, variance, offset, scale = (
        None if v is None else _along(v, x, [axis % x.ndim]) for v in (mean, variance, offset, scale)
    )
    y = (x - mean) / np.sqrt(variance + epsilon)
    return (y if scale is None else y * scale) + (0 if offset is None else offset)


def _layer(
    x: Any, gamma: Any = None, beta: Any = None, axis: Any = -1, epsilon: float = 1e-7, rms_scaling: bool = False
) -> Any:
    axes = tuple(sorted(a % x.ndim for a in ([axis] if isinstance(axis, int) else axis)))
    mean = 0 if rms_scaling else x.mean(axes, keepdims=True)
    y = (x - mean) / np.sqrt(x.var(axes, keepdims=True) + epsilon)
    y = y if gamma is None else y * _along(gamma, x, axes)
    return y if beta is None or rms_scaling else y + _along(beta, x, axes)


def _rms(x: Any, scale: Any = None, axis: Any = -1, epsilon: float = 1e-7) -> Any:
    axes = tuple(sorted(a % x.ndim for a in ([axis] if isinstance(axis, int) else axis)))
    y = x / np.sqrt((x * x).mean(axes, keepdims=True) + epsilon)
    return y if scale is None else y * _along(scale, x, axes)


_HALVES = ("float32", "float16", "bfloat16")

ROWS = [
    row(
        "batch_normalization",
        F(2, 3, 4),
        F(4),
        P(4),
        axis=-1,
        ref=_batch,
        grad=True,
        dtypes=_HALVES,
        dynamic="first",
        bad=[
            case(F(2, 3, 4), F(3), P(3), axis=-1, match="mean must have shape"),
            case(F(2, 3, 4), F(4), P(4), axis=3, match="axis 3"),
        ],
    ),
    row(
        "batch_normalization",
        F(2, 3, 4),
        F(3),
        P(3),
        1,
        F(3),
        F(3),
        epsilon=0.1,
        ref=_batch,
        grad=True,
        dynamic="first",
    ),
    row("batch_normalization", F(2, 3, 4, 5), F(5), P(5), 3, F(5), ref=_batch, dynamic="first"),
    row("batch_normalization", F(4, 3), F(3), P(3), 1, F(3), F(3), ref=_batch, dynamic="first"),
    row(
        "layer_normalization",
        F(2, 3, 4),
        F(4),
        F(4),
        ref=_layer,
        grad=True,
        dtypes=_HALVES,
        dynamic="first",
        bad=[
            case(F(2, 3, 4), F(3), match="gamma must have shape"),
            case(F(2, 3, 4), axis=3, match="axis 3"),
            case(F(2, 3, 4), F(4), F(2), match="beta must have shape"),
            case(F(2, 3, 4), foo=True, error=TypeError, match="unknown arguments: foo"),
        ],
    ),
    row("layer_normalization", F(2, 3, 4), F(3, 4), axis=(1, 2), epsilon=0.1, ref=_layer, grad=True, dynamic="first"),
    row("layer_normalization", F(2, 3, 4), F(3), F(3), axis=1, ref=_layer, grad=True, dynamic="first"),
    row("layer_normalization", F(2, 3, 4), F(4), rms_scaling=True, ref=_layer, dynamic="first"),
    row(
        "rms_normalization",
        F(2, 3, 4),
        F(4),
        ref=_rms,
        grad=True,
        dtypes=_HALVES,
        dynamic="first",
        bad=[case(F(2, 3, 4), F(3), match="scale must have shape")],
    ),
    row("rms_normalization", F(2, 3, 4), F(3), axis=1, epsilon=0.1, ref=_rms, grad=True, dynamic="first"),
    row("rms_normalization", F(2, 3, 4), axis=(1, 2), ref=_rms, dynamic="first"),
]
