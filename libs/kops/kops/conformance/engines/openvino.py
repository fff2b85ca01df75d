"""The traced and compiled graph, with unknown leading dimensions where the op allows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov

from kops.backends.openvino.core import dtype_name, fetch, trace


class _Input:
    def __init__(self, array: np.ndarray, dynamic: bool) -> None:
        self.shape = tuple(None if dynamic and i == 0 and d > 1 else d for i, d in enumerate(array.shape))
        self.dtype = dtype_name(array)


def compiled(function: Any, arrays: list[Any], dynamic: bool | str) -> Any:
    if any(a.dtype.kind == "c" for a in arrays):
        return None  # OpenVINO graphs have no complex inputs
    inputs = [_Input(a, bool(dynamic) and not (dynamic == "first" and i)) for i, a in enumerate(arrays)]
    model, structure = trace(function, inputs)
    program = ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    results = program([np.asarray(a, order="C") for a in arrays])
    return fetch(results, structure)


def native_names(function: Any, arrays: list[Any]) -> set[str]:
    """Of the operations in the graph."""
    model, _ = trace(function, [_Input(a, False) for a in arrays])
    return {op.get_type_name() for op in model.get_ops()}
