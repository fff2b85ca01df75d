"""Dtype names and the one lattice by which mixed dtypes promote.

The lattice is that of JAX: Python scalars are weak, ints join floats to the float, `bfloat16` and `float16` join
to `float32`. On top of it Keras's 32-bit default: a result is 64 bits wide only when an input is, or when
`floatx` is float64.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from kops import config
from kspec import public

BOOL = ("bool",)
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
SIGNED = ("int8", "int16", "int32", "int64")
FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
FLOATS = ("bfloat16", "float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
INTS = UNSIGNED + SIGNED
ALL = BOOL + INTS + FLOATS + COMPLEX + FLOAT8 + ("string",)

_ALIASES = {"half": "float16", "float": "float32", "double": "float64", "int": "int32", "str": "string"}
_NARROW = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}

# Each name with what lies directly above it. "int*", "float*" and "complex*" are Python scalars.
_ABOVE = {
    "bool": ("int*",),
    "int*": ("uint8", "int8"),
    "uint8": ("uint16", "int16"),
    "uint16": ("uint32", "int32"),
    "uint32": ("uint64", "int64"),
    "uint64": ("float*",),
    "int8": ("int16",),
    "int16": ("int32",),
    "int32": ("int64",),
    "int64": ("float*",),
    "float*": ("bfloat16", "float16", "complex*"),
    "bfloat16": ("float32",),
    "float16": ("float32",),
    "float32": ("float64", "complex64"),
    "float64": ("complex128",),
    "complex*": ("complex64",),
    "complex64": ("complex128",),
    "complex128": (),
}
_WEAK = {bool: "bool", int: "int*", float: "float*", complex: "complex*"}


@functools.cache
def _upwards(name: str) -> frozenset[str]:
    return frozenset({name}).union(*(_upwards(above) for above in _ABOVE[name]))


@functools.cache
def _join(a: str, b: str) -> str:
    common = _upwards(a) & _upwards(b)
    return next(name for name in common if common == _upwards(name))


@functools.cache
def _from_text(text: str) -> str:
    name = text.rpartition(".")[2]  # "torch.float32"
    name = _ALIASES.get(name, name)
    if name not in ALL:
        raise ValueError(f"Unknown dtype {text!r}. Choose one of: {', '.join(ALL)}.")
    return name


@public("keras.utils.standardize_dtype", "keras.backend.standardize_dtype")
def standardize_dtype(dtype: Any) -> str:
    """The canonical name of a dtype given as a name, a Python type, or a NumPy/JAX/PyTorch/TensorFlow dtype.

    Args:
        dtype: for example `"float32"`, `float`, `np.float32`, `torch.float32`, `tf.float32`; None means `floatx`.

    Raises:
        ValueError: when it is none of these.
    """
    if dtype is None:
        return config.settings.floatx
    if type(dtype) is str:
        return dtype if dtype in ALL else _from_text(dtype)
    if isinstance(dtype, type):
        if dtype is float:
            return config.settings.floatx
        return _PYTHON.get(dtype) or _from_text(dtype.__name__.rstrip("_"))
    if isinstance(dtype, np.dtype):  # which takes a while to say its name
        if dtype not in _NUMPY_NAMES:
            _NUMPY_NAMES[dtype] = "string" if dtype.kind in "UST" else _from_text(dtype.name)
        return _NUMPY_NAMES[dtype]
    return _from_text(getattr(dtype, "name", None) or str(dtype))


_PYTHON: dict[type, str] = {bool: "bool", int: "int32", complex: "complex64", str: "string"}
_NUMPY_NAMES: dict[np.dtype, str] = {}


@public("keras.backend.is_float_dtype")
def is_float_dtype(dtype: Any) -> bool:
    """Whether a dtype is a real floating-point one."""
    name = standardize_dtype(dtype)
    return name in FLOATS or name in FLOAT8


@public("keras.backend.is_int_dtype")
def is_int_dtype(dtype: Any) -> bool:
    """Whether a dtype is a signed or unsigned integer."""
    return standardize_dtype(dtype) in INTS


@public("keras.backend.result_type")
def result_type(*dtypes: Any) -> str:
    """The dtype that a computation on these dtypes has.

    Args:
        *dtypes: dtypes in any form; the Python types `int`, `float` and `complex` stand for weak scalars; None is
            `floatx`.

    Returns:
        A dtype name. Without arguments `floatx`.

    Example:
        >>> result_type("int32", "float16"), result_type("float16", "bfloat16"), result_type("int8", float)
        ('float16', 'float32', 'float32')
    """
    return _result_type(config.settings.floatx, tuple(_WEAK.get(d) or standardize_dtype(d) for d in dtypes))


@functools.cache
def _result_type(floatx: str, names: tuple[str, ...]) -> str:
    if not names:
        return floatx
    for special in (*FLOAT8, "string"):
        if special in names:
            if all(name == special for name in names):
                return special
            raise ValueError(
                f"{special} does not mix with other dtypes (given {', '.join(names)}). Cast explicitly first."
            )
    joined = functools.reduce(_join, names)
    wide = floatx == "float64"
    if joined == "int*":
        return "int64" if wide else "int32"
    if joined == "float*":
        return floatx
    if joined == "complex*":
        return "complex128" if wide else "complex64"
    if joined in _NARROW and not wide and not any(name in _NARROW for name in names):
        return _NARROW[joined]
    return joined


def to_inexact(dtype: Any) -> str:
    """The float or complex dtype in which a function like `exp` of such numbers is computed."""
    name = result_type(dtype)
    return name if name in FLOATS or name in COMPLEX else config.settings.floatx


def itemsize(dtype: Any) -> int:
    """Bytes per element."""
    name = standardize_dtype(dtype)
    if name == "bool" or name.startswith("float8"):
        return 1
    return int("".join(c for c in name if c.isdigit()) or 0) // 8


def limits(dtype: Any) -> tuple[Any, Any]:
    """The smallest and the largest finite number of a dtype, as Python numbers."""
    import ml_dtypes

    name = standardize_dtype(dtype)
    if name == "bool":
        return 0, 1
    if name in INTS:
        info: Any = np.iinfo(name)
        return int(info.min), int(info.max)
    info = ml_dtypes.finfo(name)
    return float(info.min), float(info.max)


# torch.compile evaluates these calls and uses their results as constants.
_function: Any
for _function in (standardize_dtype, result_type, limits):
    _function._dynamo_marked_constant = True
