"""The traced and compiled graph, with unknown leading dimensions where the op allows them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.openvino import core
from kops.backends.openvino.core import dtype_name, trace


class _Input:
    def __init__(self, array: np.ndarray, dynamic: bool) -> None:
        self.shape = tuple(None if dynamic and i == 0 and d > 1 else d for i, d in enumerate(array.shape))
        self.dtype = dtype_name(array)


def compiled(function: Any, arrays: list[Any], dynamic: bool | str) -> Any:
    if any(a.dtype.kind == "c" for a in arrays):
        return None  # OpenVINO graphs have no complex inputs
    inputs = [_Input(a, bool(dynamic) and not (dynamic == "first" and i)) for i, a in enumerate(arrays)]
    if any(not a.size for a in arrays):
        return function(*arrays)  # as `jit` does
    return core.compiled(function, inputs)(arrays)


def native_names(function: Any, arrays: list[Any]) -> set[str]:
    """Of the operations in the graph."""
    model, _ = trace(function, [_Input(a, False) for a in arrays])
    return {op.get_type_name() for op in model.get_ops()}
