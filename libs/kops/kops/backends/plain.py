"""What an engine needs that has nothing special there; its `core` begins with these, and defines its own over them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.config import settings

compiling = None


class LayerBase:
    """Of layers on engines that have no module class of their own: nothing is needed."""


def layer_base() -> type:
    return LayerBase


def adopt(function: Any) -> Any:
    return function


def canonical(name: str) -> str:
    return name


def read_variable(native: Any) -> Any:
    return native


def shape(x: Any) -> tuple[int, ...]:
    return x.shape  # type: ignore[no-any-return]


def python_dtype(array: np.ndarray) -> str | None:
    """Of Python numbers and lists of them, which have none: `floatx`, or int32 where it fits; None: NumPy's."""
    kind = array.dtype.kind
    if kind == "f":
        return settings.floatx
    if array.dtype == np.int64 and (array.size == 0 or array.min() >= -(2**31) and array.max() < 2**31):
        return "int32"
    return "complex64" if kind == "c" and settings.floatx != "float64" else None
