"""Tensors, dtypes and variables of the NumPy engine."""

from __future__ import annotations

import contextlib
from typing import Any

import ml_dtypes
import numpy as np

from kops.backends.plain import *  # noqa: F403
from kops.backends.plain import python_dtype
from kops.backends.probing import probe
from kops.dtypes import standardize_dtype

NAME = "numpy"
SEED_DTYPE = "uint32"
HAS_GRADIENTS = False

_EXTRA = {
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float8_e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
    "float8_e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "string": np.dtype(np.str_),
}
_NAMES: dict[Any, str] = {}


def is_tensor(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic))


def dtype_name(x: Any) -> str:
    dtype = x.dtype
    name = _NAMES.get(dtype)
    if name is None:
        name = _NAMES[dtype] = standardize_dtype(dtype)
    return name


def native_dtype(name: str) -> np.dtype:
    return _EXTRA.get(name) or np.dtype(name)


def convert(x: Any, dtype: str | None) -> Any:
    if isinstance(x, (np.ndarray, np.generic)):
        return x if dtype is None or dtype == dtype_name(x) else cast(x, dtype)
    if dtype is not None and dtype != "string":
        return np.asarray(x, dtype=native_dtype(dtype))
    array = np.asarray(x)
    if array.dtype == object:
        raise ValueError(f"Cannot make a tensor of {x!r}: its rows have different lengths or hold other objects.")
    if hasattr(x, "dtype"):
        return array
    dtype = python_dtype(array)
    return array if dtype is None else array.astype(native_dtype(dtype))


def cast(x: Any, dtype: str) -> np.ndarray:
    if dtype == "float32" and x.dtype.kind in "biuf" and x.dtype.itemsize <= 4:
        # Nothing can overflow: no need to silence warnings, which costs more than this.
        return x.astype(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        if dtype == "bool" and x.dtype.kind not in "biufc":
            return x.astype(np.float32).astype(bool)
        if x.dtype.kind == "c" and not dtype.startswith("complex"):
            x = x.real
        return x.astype(native_dtype(dtype))


def to_numpy(x: Any) -> np.ndarray:
    return np.asarray(x)


jit = remat = adopt  # noqa: F405


def make_variable(value: Any, trainable: bool, name: str) -> np.ndarray:
    return np.array(value)


def assign_variable(native: Any, value: Any) -> np.ndarray:
    # A new array, not a write into the old one: what was read before keeps its value.
    return np.array(value)


def own_variable(native: Any, array: np.ndarray, trainable: bool, name: str) -> np.ndarray:
    return array


def device_scope(name: str) -> Any:
    return contextlib.nullcontext()


def abstract_call(function: Any, args: Any, kwargs: Any) -> Any:
    return probe(
        function, args, kwargs, lambda call, specs: call([np.ones(shape, native_dtype(d)) for shape, d in specs])
    )
