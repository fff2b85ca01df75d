"""Rows of the activations."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from kops.conformance.rows import F, I, L, case, row

_HALVES = ("float32", "float16", "bfloat16")


def _expit(x: Any) -> Any:
    return 1 / (1 + np.exp(-x)) if np.iscomplexobj(x) else special.expit(x)  # which has no complex numbers


def _elu(x: Any, alpha: float = 1.0) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(x))


def _sparsemax(x: Any, axis: int = -1) -> Any:
    """By bisection for the threshold at which the positive part sums to 1."""
    low, high = x.min(axis, keepdims=True) - 1, x.max(axis, keepdims=True)
    for _ in range(80):
        middle = (low + high) / 2
        large = np.maximum(x - middle, 0).sum(axis, keepdims=True) > 1
        low, high = np.where(large, middle, low), np.where(large, high, middle)
    return np.maximum(x - low, 0)


def _glu(x: Any, axis: int = -1) -> Any:
    a, b = np.split(x, 2, axis)
    return a * _expit(b)


_EXTREME = L([-1e4, -100.0, 0.0, 100.0, 1e4])
_FORMULAS = {
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.2 * x),
    "elu": _elu,
    "selu": lambda x: 1.0507009873554805 * _elu(x, 1.6732632423543772),
    "celu": lambda x: np.maximum(x, 0) + np.minimum(0, np.expm1(x)),
    "gelu": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x * _expit(x),
    "sigmoid": _expit,
    "log_sigmoid": special.log_expit,
    "hard_sigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hard_silu": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "hard_shrink": lambda x: np.where(np.abs(x) > 0.5, x, 0),
    "soft_shrink": lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0),
    "tanh_shrink": lambda x: x - np.tanh(x),
    "softplus": lambda x: np.logaddexp(x, 0),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "squareplus": lambda x: (x + np.sqrt(x * x + 4)) / 2,
    "sparse_plus": lambda x: np.where(x <= -1, 0, np.where(x >= 1, x, (x + 1) ** 2 / 4)),
    "sparse_sigmoid": lambda x: np.clip((x + 1) / 2, 0, 1),
}

ROWS = [
    made
    for name, formula in _FORMULAS.items()
    for made in (
        row(name, F(2, 3, low=-4, high=8), ref=formula, grad=True, dynamic="all", dtypes=_HALVES, tol=2e-5),
        row(name, _EXTREME, ref=formula, dynamic="all", tol=2e-5),
        row(name, F(0, 3), ref=np.zeros((0, 3))),
    )
] + [
    row("relu", I(2, 3, low=-4, high=5), ref=_FORMULAS["relu"]),
    row("leaky_relu", F(2, 3), negative_slope=0.5, ref=lambda x, negative_slope: np.where(x > 0, x, x / 2)),
    row("elu", F(2, 3), alpha=0.5, ref=_elu, grad=True),
    row("celu", F(2, 3), alpha=0.5, ref=lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x / alpha)), grad=True),
    row("gelu", F(2, 3), approximate=False, ref=lambda x, approximate: x * special.ndtr(x), grad=True),
    row("hard_shrink", F(2, 3), threshold=1.2, ref=lambda x, threshold: np.where(np.abs(x) > 1.2, x, 0)),
    row("soft_shrink", F(2, 3), threshold=1.2, ref=lambda x, threshold: np.sign(x) * np.maximum(np.abs(x) - 1.2, 0)),
    row("squareplus", F(2, 3), b=0.25, ref=lambda x, b: (x + np.sqrt(x * x + b)) / 2, grad=True),
    row("threshold", F(2, 3), 0.3, -7.0, ref=lambda x, t, v: np.where(x > t, x, v), grad=True, dynamic="all"),
    row(
        "softmax",
        F(2, 3),
        ref=lambda x: special.softmax(x, -1),
        grad=True,
        dynamic="all",
        dtypes=_HALVES,
        bad=[case(F(2, 3), axis=2, match="axis 2"), case(1.0, match="axis -1")],
    ),
    row("softmax", F(2, 3, 4), axis=(0, 2), ref=lambda x, axis: special.softmax(x, axis), grad=True),
    row("softmax", F(2, 3), axis=None, ref=lambda x, axis: special.softmax(x)),
    row("softmax", L([[1e4, 0.0, -1e4]]), ref=np.array([[1.0, 0.0, 0.0]])),
    row("softmax", F(0, 3), ref=np.zeros((0, 3))),
    row(
        "log_softmax",
        F(2, 3),
        ref=lambda x: special.log_softmax(x, -1),
        grad=True,
        dynamic="all",
        dtypes=_HALVES,
        bad=[case(F(2, 3), axis=2, match="axis 2")],
    ),
    row("log_softmax", F(2, 3, 4), axis=[0, 2], ref=lambda x, axis: special.log_softmax(x, tuple(axis)), grad=True),
    row("log_softmax", L([[1e4, 0.0]]), ref=np.array([[0.0, -1e4]])),
    row("sparsemax", F(2, 5), ref=_sparsemax, grad=True, dtypes=_HALVES, bad=[case(F(2, 3), axis=2, match="axis 2")]),
    row("sparsemax", F(4, 3), axis=0, ref=_sparsemax, grad=True),
    row("glu", F(2, 6), ref=_glu, grad=True, dtypes=_HALVES, bad=[case(F(2, 5), match="even")]),
    row("glu", F(2, 4, 3), axis=1, ref=_glu, grad=True),
]
