"""Tensors, dtypes and variables of the JAX engine."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.sparse import BCOO

from kops.backends.plain import *  # noqa: F403
from kops.backends.plain import python_dtype
from kops.backends.probing import probe
from kops.config import settings
from kops.dtypes import standardize_dtype

NAME = "jax"
SEED_DTYPE = "uint32"
HAS_GRADIENTS = True

_NAMES: dict[Any, str] = {}
_NARROW = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}


_switched_x64_on = False


def _follow_floatx() -> None:
    # float64 as floatx needs x64; what was switched on for it is switched off with it, never the user's own setting.
    global _switched_x64_on
    floatx = settings.floatx
    if floatx == "float64" and not jax.config.jax_enable_x64:
        jax.config.update("jax_enable_x64", True)
        _switched_x64_on = True
    elif floatx != "float64" and _switched_x64_on:
        jax.config.update("jax_enable_x64", False)
        _switched_x64_on = False


_follow_floatx()
settings.on_change.append(_follow_floatx)


def is_tensor(x: Any) -> bool:
    return isinstance(x, (jax.Array, BCOO))


def dtype_name(x: Any) -> str:
    dtype = x.dtype
    name = _NAMES.get(dtype)
    if name is None:
        name = _NAMES[dtype] = standardize_dtype(dtype)
    return name


def native_dtype(name: str) -> Any:
    return jnp.dtype(name)


def canonical(name: str) -> str:
    return name if jax.config.jax_enable_x64 else _NARROW.get(name, name)


def convert(x: Any, dtype: str | None) -> jax.Array:
    if isinstance(x, (jax.Array, BCOO)):
        return x if dtype is None or dtype == dtype_name(x) else x.astype(canonical(dtype))
    if dtype is None:
        if hasattr(x, "dtype"):
            dtype = standardize_dtype(x.dtype)
        else:
            x = np.asarray(x)
            if x.dtype == object:
                x = jnp.asarray(x.tolist())  # a list of JAX arrays, or JAX's own error
            dtype = python_dtype(x)
            if dtype is None and x.dtype == np.int64 and canonical("int64") == "int32":
                raise OverflowError(
                    "An integer does not fit 32 bits, and JAX has no 64 bits unless jax_enable_x64 is set."
                )
    if dtype == "string":
        raise TypeError("JAX has no string tensors. Keep strings in NumPy arrays, outside of jitted code.")
    kind = None if dtype is None else canonical(dtype)
    if isinstance(x, np.ndarray) and x.nbytes >= _COPIED_LATER:
        x = _aligned_copy(x, x.dtype if kind is None else native_dtype(kind))
        return jax.device_put(x)
    return jnp.array(x, dtype=kind)  # jnp.asarray with a dtype may keep the memory of the caller's array


# Copies of arrays from 100 kB on are made later, by another thread, when the caller may have written other numbers.
_COPIED_LATER = 1 << 16


def _aligned_copy(x: np.ndarray, dtype: Any) -> np.ndarray:
    """A copy at a multiple of 64 bytes: `device_put` keeps the memory of such an array."""
    raw = np.empty(x.size * dtype.itemsize + 64, np.uint8)
    start = -raw.ctypes.data % 64
    copy = raw[start : start + x.size * dtype.itemsize].view(dtype).reshape(x.shape)
    copy[...] = x
    return copy


def cast(x: Any, dtype: str) -> jax.Array:
    if not dtype.startswith("complex") and x.dtype.kind == "c":
        x = x.real
    return x.astype(canonical(dtype))


def to_numpy(x: Any) -> np.ndarray:
    return np.asarray(x.todense() if isinstance(x, BCOO) else x)


def jit(function: Any) -> Any:
    return jax.jit(function)


def remat(function: Any) -> Any:
    return jax.checkpoint(function)


def make_variable(value: Any, trainable: bool, name: str) -> jax.Array:
    return value


def assign_variable(native: Any, value: Any) -> jax.Array:
    if isinstance(value, jax.core.Tracer):
        raise ValueError(
            "A variable cannot be assigned while JAX traces a function: it would keep a value that exists in the trace "
            "only. Run the function in a StatelessScope and return the variable's new value from it. For random "
            "numbers pass an integer seed, a seed tensor, or a SeedGenerator whose state is in the scope."
        )
    return value


def own_variable(native: Any, array: np.ndarray, trainable: bool, name: str) -> jax.Array:
    # Unlike jnp.asarray it keeps the memory of an array that begins at a multiple of 64 bytes.
    return assign_variable(native, jax.device_put(array))


def device_scope(name: str) -> Any:
    kind, _, index = name.partition(":")
    kind = {"cuda": "gpu"}.get(kind.lower(), kind.lower())
    return jax.default_device(jax.devices(kind)[int(index or 0)])


def abstract_call(function: Any, args: Any, kwargs: Any) -> Any:
    def evaluate(call: Any, specs: Any) -> Any:
        return jax.eval_shape(lambda *xs: call(list(xs)), *(jax.ShapeDtypeStruct(s, d) for s, d in specs))

    return probe(function, args, kwargs, evaluate)
