"""Activation kernels, written so that nothing overflows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kops.backends.kernel_tables import kernels
from kops.backends.numpy import special
from kops.backends.numpy.pieces import in_pieces
from kops.shapes import standardize_axes

SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def relu(x: Any) -> Any:
    return np.maximum(x, np.zeros((), x.dtype))


def relu6(x: Any) -> Any:
    return np.clip(x, np.zeros((), x.dtype), np.full((), 6, x.dtype))


def leaky_relu(x: Any, negative_slope: float) -> Any:
    if 0 < negative_slope <= 1:
        return np.maximum(x, x * negative_slope)
    return np.where(x > 0, x, x * negative_slope)


@in_pieces
def elu(x: Any, alpha: float) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


@in_pieces
def selu(x: Any) -> Any:
    return SELU_SCALE * elu(x, SELU_ALPHA)


@in_pieces
def gelu(x: Any, approximate: bool) -> Any:
    wide = x if x.dtype.itemsize > 2 else x.astype(np.float32)
    if approximate:
        inner = math.sqrt(2 / math.pi) * wide * (1 + 0.044715 * wide * wide)
        return 0.5 * wide * (1 + np.tanh(inner))
    return 0.5 * wide * (1 + special.erf(wide * math.sqrt(0.5)))


@in_pieces
def sigmoid(x: Any) -> Any:
    right = x.real >= 0  # of complex numbers, too: exp never overflows
    e = np.exp(np.where(right, -x, x))
    return np.where(right, 1, e) / (1 + e)


@in_pieces
def silu(x: Any) -> Any:
    return x * sigmoid(x)


@in_pieces
def softplus(x: Any) -> Any:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _axes(x: Any, axis: Any) -> Any:
    if not x.ndim and axis is not None:
        raise ValueError("A scalar has no axis.")  # reductions of NumPy take -1 for one
    return tuple(axis) if isinstance(axis, list) else axis


def log_softmax(x: Any, axis: Any) -> Any:
    axis = _axes(x, axis)
    if x.size == 0:
        standardize_axes(axis, x.ndim)
        return x
    wide = x if x.dtype.itemsize > 2 else x.astype(np.float32)
    shifted = wide - wide.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def softmax(x: Any, axis: Any) -> Any:
    axis = _axes(x, axis)
    if x.size == 0:
        standardize_axes(axis, x.ndim)
        return x
    wide = x if x.dtype.itemsize > 2 else x.astype(np.float32)
    e = np.exp(wide - wide.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


TABLE = kernels(relu, relu6, leaky_relu, elu, selu, gelu, silu, sigmoid, softplus, softmax, log_softmax)
