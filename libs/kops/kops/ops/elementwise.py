"""Elementwise arithmetic, comparison and functions of one variable."""

from __future__ import annotations

from typing import Any

from kspec import public

from kops import promote, shapes
from kops.declare import Tensor, primitive


@public("keras.ops.add", "keras.ops.numpy.add")
@primitive(dtype=promote.common, shape=shapes.broadcast)
def add(x1: Tensor, x2: Tensor) -> Any:
    """Sum, elementwise."""


@public("keras.ops.subtract", "keras.ops.numpy.subtract")
@primitive(dtype=promote.common, shape=shapes.broadcast)
def subtract(x1: Tensor, x2: Tensor) -> Any:
    """Difference, elementwise."""


@public("keras.ops.less", "keras.ops.numpy.less")
@primitive(dtype=promote.compare, shape=shapes.broadcast)
def less(x1: Tensor, x2: Tensor) -> Any:
    """Whether `x1 < x2`, elementwise; bool."""


@public("keras.ops.exp", "keras.ops.numpy.exp")
@primitive(dtype=promote.inexact, shape=shapes.same)
def exp(x: Tensor) -> Any:
    """Exponential, elementwise."""
