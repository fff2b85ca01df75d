"""Rows of the losses on whole tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from kops.conformance.rows import F, I, L, P, case, row


def _binary(y: Any, p: Any, from_logits: bool = False) -> Any:
    p = special.expit(p) if from_logits else np.clip(p, 1e-7, 1 - 1e-7)
    return -(y * np.log(p) + (1 - y) * np.log(1 - p))


def _logs(p: Any, from_logits: bool, axis: int) -> Any:
    p = special.softmax(p, axis) if from_logits else p / p.sum(axis, keepdims=True)
    return np.log(np.clip(p, 1e-7, 1 - 1e-7))


def _categorical(y: Any, p: Any, from_logits: bool = False, axis: int = -1) -> Any:
    return -(y * _logs(p, from_logits, axis)).sum(axis)


def _sparse(y: Any, p: Any, from_logits: bool = False, axis: int = -1) -> Any:
    if y.ndim == p.ndim:
        y = y.squeeze(axis)
    return -(np.moveaxis(_logs(p, from_logits, axis), axis, -1) * (y[..., None] == np.arange(p.shape[axis]))).sum(-1)


_HALVES = ("float32", "float16", "bfloat16")

ROWS = [
    row(
        "binary_crossentropy",
        P(2, 3, low=0, high=1),
        P(2, 3, low=0.1, high=0.9),
        ref=_binary,
        grad=True,
        dtypes=_HALVES,
        dynamic="all",
        bad=[case(F(2, 3), F(2, 4), match="same shape"), case(F(2, 3), F(3), match="same shape")],
    ),
    row("binary_crossentropy", P(2, 3, low=0, high=1), F(2, 3), from_logits=True, ref=_binary, grad=True),
    row(
        "binary_crossentropy",
        L([0.0, 1.0, 1.0]),
        L([0.0, 0.0, 1.0]),
        ref=np.array([1e-7, -np.log(1e-7), 1e-7]),
        tol=1e-6,
    ),
    row(
        "categorical_crossentropy",
        P(2, 3),
        P(2, 3),
        ref=_categorical,
        grad=True,
        dtypes=_HALVES,
        dynamic="all",
        bad=[
            case(F(2, 3), F(2, 4), match="same shape"),
            case(1.0, 1.0, match="one dimension"),
            case(F(2, 3), F(2, 3), axis=2, match="axis 2"),
        ],
    ),
    row("categorical_crossentropy", P(2, 3), F(2, 3), from_logits=True, axis=0, ref=_categorical, grad=True),
    row(
        "sparse_categorical_crossentropy",
        I(2, 4, high=3),
        P(2, 4, 3),
        ref=_sparse,
        grad=True,
        dtypes=_HALVES,
        bad=[case(I(3), P(2, 3), match="target must have the shape"), case(I(2), P(2, 3), axis=2, match="axis 2")],
    ),
    row("sparse_categorical_crossentropy", I(2, 1, high=3), F(2, 3), from_logits=True, ref=_sparse, grad=True),
    row("sparse_categorical_crossentropy", I(4, high=3), F(3, 4), from_logits=True, axis=0, ref=_sparse),
    row("sparse_categorical_crossentropy", L([0, 3, -1]), F(3, 3), from_logits=True, ref=_sparse),
    row(
        "psnr",
        F(2, 3),
        F(2, 3),
        2.0,
        ref=lambda a, b, m: 10 * np.log10(m * m / ((a - b) ** 2).mean()),
        grad=True,
        dynamic="all",
        bad=[case(F(2, 3), F(2, 4), 1.0, match="same shape")],
    ),
]
