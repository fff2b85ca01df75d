"""Inputs of layers that work on the host: text, and tables of it, which engines do not have."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np

import kops
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.tape import TraceTensor


def on_host(x: Any, layer: Any) -> np.ndarray:
    """A tensor, array or list of any kind as a NumPy array; bytes as text.

    Raises:
        RuntimeError: within a compiled function, where there are no values yet.
    """
    if isinstance(x, (KerasTensor, TraceTensor)):
        raise RuntimeError(_words(layer))
    if engine().is_tensor(x):
        try:
            x = kops.convert_to_numpy(x)
        except Exception as error:
            raise RuntimeError(_words(layer)) from error
    array = np.asarray(x)
    if array.dtype.kind == "S":
        return np.char.decode(array, "utf-8")
    if array.dtype.kind == "O":
        flat = [v.decode("utf-8") if isinstance(v, bytes) else v for v in array.ravel().tolist()]
        return np.array(flat).reshape(array.shape) if flat else array.astype(str)
    return array


def _words(layer: Any) -> str:
    return (
        f"{type(layer).__name__} looks its inputs up on the host and cannot be part of a compiled function. Apply it "
        "to the data before the model gets them, or call the model instead of predict()."
    )


def batches(data: Any, layer: Any, steps: int | None = None) -> Iterable[np.ndarray]:
    """The batches of a data set as arrays; an array or list is one batch."""
    if isinstance(data, (np.ndarray, list, tuple, str)) or engine().is_tensor(data):
        yield on_host(data, layer)
        return
    if not hasattr(data, "__iter__"):
        raise TypeError(f"adapt() takes an array or an iterable of batches, not {type(data).__name__}.")
    for i, batch in enumerate(data):
        if steps is not None and i >= steps:
            return
        yield on_host(batch, layer)
