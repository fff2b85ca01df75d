"""Tensors and what they are: conversion, casting, shapes, dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite, primitive
from kops.dtypes import FLOATS, INTS, itemsize, limits, standardize_dtype
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.tape import TraceTensor
from kops.variable import Variable
from kspec import public


@public("keras.ops.convert_to_tensor")
def convert_to_tensor(x: Any, dtype: Any = None, sparse: bool | None = None, ragged: bool | None = None) -> Any:
    """A tensor of the engine from anything that holds numbers.

    Args:
        x: a tensor, Variable, array, number, or nested list of them. A symbolic tensor stays symbolic.
        dtype: wanted dtype; by default that of `x`, where Python floats are `floatx` and Python ints int32.
        sparse: False makes sparse tensors dense; by default they stay as they are.
        ragged: False pads ragged tensors with zeros; by default they stay as they are.

    Returns:
        A tensor; `x` itself where nothing is to be done.

    Example:
        >>> convert_to_tensor([[1.0, 2.0]])
        a float32 tensor of shape (1, 2)
    """
    e = engine()
    if isinstance(x, KerasTensor):
        if (dtype is None or standardize_dtype(dtype) == x.dtype) and not (x.sparse and sparse is False):
            return x
        return _convert(x, dtype, sparse, ragged)
    if isinstance(x, Variable):
        x = x.value
    if sparse is False or ragged is False or hasattr(x, "todense"):
        x = _dense(x, e, sparse, ragged)
    if dtype is None:
        return x if e.is_tensor(x) else e.convert(x, None)
    return e.convert(x, e.canonical(standardize_dtype(dtype)))


def _dense(x: Any, e: Any, sparse: bool | None, ragged: bool | None) -> Any:
    if hasattr(x, "todense"):  # matrices of SciPy and jax.experimental.sparse
        return x if e.is_tensor(x) and sparse is not False else x.todense()
    if e.is_tensor(x) and getattr(x, "is_sparse", False) and sparse is False:  # PyTorch
        return x.to_dense()
    kind = type(x).__name__
    if (kind == "SparseTensor" and sparse is False) or (kind == "RaggedTensor" and ragged is False):
        return e.to_dense(x)
    return x


def _conversion(d: Any, dtype: Any = None, **static: Any) -> Any:
    """To the dtype asked for. Scalars become it at once: int32 on the way would cut them."""
    result = promote.natural(d) if dtype is None else standardize_dtype(dtype)
    return result, result


@composite(dtype=_conversion, shape=shapes.same, node="ConvertToTensor")
def _convert(x: Tensor, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
    """`convert_to_tensor` as a node of a graph."""
    return x


@public("keras.ops.convert_to_numpy")
def convert_to_numpy(x: Any) -> np.ndarray:
    """A NumPy array of the same numbers.

    Args:
        x: a tensor, Variable, array, number or list; sparse tensors become dense.

    Returns:
        An array; it may share memory with `x`.
    """
    if isinstance(x, Variable):
        x = x.value
    if hasattr(x, "todense"):
        x = x.todense()
    e = engine()
    return e.to_numpy(x) if e.is_tensor(x) else np.asarray(e.to_numpy(e.convert(x, None)))


@public("keras.ops.is_tensor")
def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor of the engine (not a Variable, nor a symbolic tensor)."""
    return engine().is_tensor(x)


@composite("keras.ops.cast", dtype=lambda d, dtype: _conversion(d, standardize_dtype(dtype)), shape=shapes.same)
def cast(x: Tensor, dtype: Any) -> Any:
    """The same numbers in another dtype.

    Floats become integers by cutting their fraction, complex numbers lose their imaginary part, and every number but 0
    is True.

    Args:
        x: a tensor of any shape.
        dtype: the wanted dtype; None means `floatx`.

    Returns:
        A tensor of the shape of `x`.
    """
    return x


def _saturated(d: Any, dtype: Any) -> Any:
    """Halves are limited in float32, where they are finite."""
    own = promote.natural(d)
    return ("float32" if own in ("float16", "bfloat16") else own), standardize_dtype(dtype)


@composite("keras.ops.saturate_cast", dtype=_saturated, shape=shapes.same)
def saturate_cast(x: Tensor, dtype: Any) -> Any:
    """As `cast`, but numbers out of the range of the dtype become its nearest limit. NaN becomes 0 in integers.

    Args:
        x: a tensor of any shape.
        dtype: the wanted dtype; None means `floatx`.

    Returns:
        A tensor of the shape of `x`.

    Example:
        >>> saturate_cast([-3.7, 300.0], "uint8")
        [0, 255]
    """
    source, target = standardize_dtype(x.dtype), standardize_dtype(dtype)  # type: ignore[attr-defined]
    if source == "bool" or target.startswith("complex"):
        return x
    if source.startswith("complex"):
        x, source = kops.real(x), promote.real_part(source)
    low, high = limits(target)
    own_low, own_high = limits(source)
    if source in FLOATS and target in INTS:
        x = kops.where(kops.isnan(x), 0, x)
        # The float just inside: 2**31 - 1 rounded to float32 is 2**31, one too many for an int32.
        spare = max(int(high).bit_length() - {"float32": 24, "float64": 53}[source], 0)
        inside = (int(high) >> spare) << spare
        if inside < high:
            most = high if high < 2**31 else np.array(high, target)
            return kops.where(kops.greater(x, inside), most, cast(kops.clip(x, low, inside), target))
    if low <= own_low and high >= own_high:
        return x
    return kops.clip(x, max(low, own_low), min(high, own_high))


@public("keras.ops.shape")
def shape(x: Any) -> tuple[Any, ...]:
    """The shape of a tensor.

    Args:
        x: a tensor of any kind.

    Returns:
        A tuple of ints. A dimension that is unknown while TensorFlow or OpenVINO trace a function is a scalar tensor;
        one that is unknown in a symbolic tensor is None.
    """
    if isinstance(x, (KerasTensor, Variable)):
        return tuple(x.shape)
    if type(x) is TraceTensor:
        return x.sizes()
    e = engine()
    if not e.is_tensor(x):
        return tuple(np.shape(x))
    static = e.shape(x)
    return e.dynamic_shape(x, static) if None in static else static


@public("keras.ops.ndim", "keras.ops.numpy.ndim")
def ndim(x: Any) -> Any:
    """The number of dimensions.

    Args:
        x: a tensor of any kind.

    Returns:
        An int; of a symbolic tensor a symbolic int32 scalar.
    """
    return _ndim(x) if isinstance(x, KerasTensor) else len(x.shape) if hasattr(x, "shape") else np.ndim(x)


@public("keras.ops.size", "keras.ops.numpy.size")
def size(x: Any) -> Any:
    """The number of elements.

    Args:
        x: a tensor of any kind.

    Returns:
        An int; a scalar tensor where it is unknown while a function is traced; of a symbolic tensor a symbolic int32
        scalar.
    """
    if isinstance(x, KerasTensor):
        return _size(x)
    result: Any = 1
    for d in shape(x):
        result = result * d
    return result


@composite(dtype=promote.fixed("int32"), shape=lambda x: (), node="numpy:Size")
def _size(x: Tensor) -> Any:
    """`size` as a node of a graph."""
    return size(x)


@composite(dtype=promote.fixed("int32"), shape=lambda x: (), node="numpy:Ndim")
def _ndim(x: Tensor) -> Any:
    """`ndim` as a node of a graph."""
    return len(x.shape)


@public("keras.ops.dtype")
def dtype(x: Any) -> str:
    """The name of the dtype of a tensor.

    Args:
        x: a tensor of any kind, Variable or number.

    Returns:
        For example `"float32"`.
    """
    own = getattr(x, "dtype", None)
    return standardize_dtype(convert_to_tensor(x).dtype if own is None else own)


@primitive("numpy", dtype=promote.common, shape=shapes.same)
def copy(x: Tensor) -> Any:
    """A tensor of the same numbers with memory of its own.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape and dtype of `x`.
    """


def _reinterpreted(d: Any, dtype: Any = None) -> Any:
    return promote.natural(d), standardize_dtype(dtype)


def _view_shape(x: Any, dtype: Any = None) -> shapes.Shape:
    old, new = itemsize(x.dtype), itemsize(dtype)
    if old == new:
        return tuple(x.shape)
    if not len(x.shape):
        raise ValueError("a scalar can only be viewed in a dtype of the same size.")
    last = x.shape[-1]
    if last is not None and last * old % new:
        raise ValueError(f"{last} numbers of {old} bytes cannot be divided into numbers of {new} bytes.")
    return (*x.shape[:-1], None if last is None else last * old // new)


@primitive("numpy", dtype=_reinterpreted, shape=_view_shape)
def view(x: Tensor, dtype: Any = None) -> Any:
    """The same bytes read as numbers of another dtype.

    Args:
        x: a tensor `(..., n)`.
        dtype: the dtype to read; None means `floatx`.

    Returns:
        A tensor `(..., m)`, where `m` is `n` times the ratio of the dtypes' sizes.

    Raises:
        ValueError: when the last dimension cannot be divided so.
    """
