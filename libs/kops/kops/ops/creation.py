"""Tensors from shapes and numbers."""

from __future__ import annotations

from typing import Any

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite, primitive
from kops.dtypes import result_type, standardize_dtype
from kops.engine import engine
from kops.keras_tensor import KerasTensor, any_symbolic
from kops.ops.core import _conversion
from kops.tape import TraceTensor
from kspec import public


def _create(name: str, shape: Any, dtype: Any, *values: Any) -> Any:
    """Run a kernel `(shape, *values, dtype)`; a shape with unknown dimensions gives a symbolic tensor."""
    e = engine()
    name_of_dtype = e.canonical(standardize_dtype(dtype))
    if not e.is_tensor(shape):
        shape = tuple(shape) if isinstance(shape, (tuple, list)) else shapes.standardize_shape(shape)
        if any(d is None or isinstance(d, KerasTensor) for d in shape):
            return KerasTensor([d if isinstance(d, int) else None for d in shape], name_of_dtype)
    return e.lookup(name, (shape, *values))(shape, *values, e.native_dtype(name_of_dtype))


@public("keras.ops.zeros", "keras.ops.numpy.zeros")
def zeros(shape: Any, dtype: Any = None) -> Any:
    """A tensor of zeros.

    Args:
        shape: an int or a sequence of ints (or scalar tensors, where the engine traces dynamic shapes).
        dtype: default `floatx`.

    Returns:
        A tensor of that shape.
    """
    return _create("zeros", shape, dtype)


@public("keras.ops.ones", "keras.ops.numpy.ones")
def ones(shape: Any, dtype: Any = None) -> Any:
    """A tensor of ones.

    Args:
        shape: an int or a sequence of ints (or scalar tensors, where the engine traces dynamic shapes).
        dtype: default `floatx`.

    Returns:
        A tensor of that shape.
    """
    return _create("ones", shape, dtype)


@public("keras.ops.empty", "keras.ops.numpy.empty")
def empty(shape: Any, dtype: Any = None) -> Any:
    """A tensor of any content, to be overwritten.

    Args:
        shape: an int or a sequence of ints (or scalar tensors, where the engine traces dynamic shapes).
        dtype: default `floatx`.

    Returns:
        A tensor of that shape.
    """
    return _create("empty", shape, dtype)


@public("keras.ops.full", "keras.ops.numpy.full")
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A tensor filled with one value.

    Args:
        shape: an int or a sequence of ints (or scalar tensors, where the engine traces dynamic shapes).
        fill_value: a number, or a tensor that broadcasts to that shape.
        dtype: default `floatx`.

    Returns:
        A tensor of that shape.
    """
    if not isinstance(fill_value, (bool, int, float, complex)):
        value = kops.convert_to_tensor(fill_value, standardize_dtype(dtype))
        return kops.broadcast_to(value, (shape,) if isinstance(shape, int) else shape)
    return _create("full", shape, dtype, fill_value)


def _unread(d: Any, dtype: Any = None, **static: Any) -> Any:
    """The argument as it is: only its shape counts."""
    return None, promote.natural(d) if dtype is None else standardize_dtype(dtype)


@primitive("numpy", dtype=_unread, shape=shapes.same)
def zeros_like(x: Tensor, dtype: Any = None) -> Any:
    """Zeros in the shape of another tensor.

    Args:
        x: a tensor.
        dtype: default that of `x`.

    Returns:
        A tensor of the shape of `x`.
    """


@primitive("numpy", dtype=_unread, shape=shapes.same)
def ones_like(x: Tensor, dtype: Any = None) -> Any:
    """Ones in the shape of another tensor.

    Args:
        x: a tensor.
        dtype: default that of `x`.

    Returns:
        A tensor of the shape of `x`.
    """


@composite("numpy", dtype=_unread, shape=shapes.same)
def empty_like(x: Tensor, dtype: Any = None) -> Any:
    """A tensor of any content in the shape of another.

    Args:
        x: a tensor.
        dtype: default that of `x`.

    Returns:
        A tensor of the shape of `x`.
    """
    return zeros_like(x, dtype)


def _filled(d: Any, fill: Any, dtype: Any = None) -> Any:
    result = promote.natural(d) if dtype is None else standardize_dtype(dtype)
    return (None, result), result


def _filled_shape(x: Any, fill_value: Any, dtype: Any = None) -> shapes.Shape:
    shape = tuple(x.shape)
    if not shapes.broadcasts_into(fill_value.shape, shape):
        raise ValueError(f"a fill value of shape {tuple(fill_value.shape)} does not broadcast to {shape}.")
    return shape


@primitive("numpy", dtype=_filled, shape=_filled_shape)
def full_like(x: Tensor, fill_value: Tensor, dtype: Any = None) -> Any:
    """One value in the shape of another tensor.

    Args:
        x: a tensor.
        fill_value: a number, or a tensor that broadcasts to the shape of `x`.
        dtype: default that of `x`.

    Returns:
        A tensor of the shape of `x`.
    """


@composite("numpy", dtype=_conversion, shape=shapes.same)
def array(x: Tensor, dtype: Any = None) -> Any:
    """A tensor of the engine from anything that holds numbers; see `convert_to_tensor`.

    Args:
        x: a tensor, array, number, or nested list.
        dtype: default that of `x`.

    Returns:
        A tensor.
    """
    return x


@public("keras.ops.eye", "keras.ops.numpy.eye")
def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones on a diagonal, zeros elsewhere.

    Args:
        N: number of rows.
        M: number of columns, default `N`.
        k: which diagonal: 0 the main one, above it positive, below it negative.
        dtype: default `floatx`.

    Returns:
        A tensor `(N, M)`.
    """
    return _create("eye", (N, N if M is None else M), dtype, k)


@public("keras.ops.identity", "keras.ops.numpy.identity")
def identity(n: Any, dtype: Any = None) -> Any:
    """The identity matrix.

    Args:
        n: number of rows and columns.
        dtype: default `floatx`.

    Returns:
        A tensor `(n, n)`.
    """
    return eye(n, dtype=dtype)


@public("keras.ops.tri", "keras.ops.numpy.tri")
def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones on and below a diagonal, zeros above.

    Args:
        N: number of rows.
        M: number of columns, default `N`.
        k: the highest diagonal with ones.
        dtype: default `floatx`.

    Returns:
        A tensor `(N, M)`.
    """
    return _create("tri", (N, N if M is None else M), dtype, k)


@public("keras.ops.arange", "keras.ops.numpy.arange")
def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """Numbers from `start` (inclusive) to `stop` (exclusive) in equal steps.

    Args:
        start: first number; with `start` alone, it is `stop` and the first number is 0.
        stop: end.
        step: default 1.
        dtype: default the promoted dtype of the arguments: int32 for Python ints, `floatx` for floats.

    Returns:
        A tensor of one dimension.

    Example:
        >>> arange(1, 2, 0.25)
        [1.0, 1.25, 1.5, 1.75]
    """
    step = 1 if step is None else step
    alone = stop is None and not isinstance(start, KerasTensor)
    given = [x for x in ((start, step) if alone else (start, stop, step)) if x is not None]
    e = engine()
    if dtype is None:
        dtype = result_type(*(type(x) if isinstance(x, (int, float)) else x.dtype for x in given))
    dtype = e.canonical(standardize_dtype(dtype))
    # A length that is unknown while a symbolic tensor passes through a layer.
    if start is None or any_symbolic(*given):
        return KerasTensor((None,), dtype)
    start, stop = (0, start) if alone else (start, stop)
    if any(type(x) is TraceTensor for x in given):  # written down by ops of tensors that there are
        count = kops.maximum(kops.floor_divide(stop - start + step - 1, step), 0)
        ones = kops.broadcast_to(kops.multiply(count, 0) + 1, (count,))
        return kops.cast((kops.cumsum(ones) - 1) * step + start, dtype)
    return e.lookup("arange", (start, stop, step))(start, stop, step, e.native_dtype(dtype))
