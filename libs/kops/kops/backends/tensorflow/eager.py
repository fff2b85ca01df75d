"""What is known when an op runs at once, and not while a graph is built: the numbers, and whether a tape records."""

from __future__ import annotations

import functools
from typing import Any, Callable

import numpy as np
import tensorflow as tf

try:
    from tensorflow.python.eager.record import could_possibly_record as _watched
except ImportError:  # not of the public interface: without it every op may be recorded

    def _watched() -> bool:
        return True


_Eager: Any = type(tf.constant(0))
_enum: Any = getattr(_Eager, "_datatype_enum", None)


def recording() -> bool:
    """Whether a gradient may be asked for; a kernel without the formula's gradient will do where not."""
    return not tf.executing_eagerly() or _watched()


def holds(x: Any, test: Callable[[np.ndarray], Any]) -> bool:
    """Whether `test` is true of all numbers; False if they are not known yet."""
    return type(x) is _Eager and x.dtype is not tf.bfloat16 and bool(np.all(test(np.asarray(memoryview(x)))))


def no_nan(x: Any) -> bool:
    return holds(x, lambda v: v == v)


@functools.lru_cache(maxsize=1024)
def _kept(numbers: tuple[Any, ...]) -> Any:
    return tf.constant(numbers, tf.int32)


def kept(numbers: Any) -> Any:
    """A shape or axes as an argument: eagerly a tensor that is kept, since making one costs more than most ops."""
    numbers = tuple(numbers)
    return _kept(numbers) if tf.executing_eagerly() and _plain(numbers) else numbers


def _plain(x: Any) -> bool:
    return type(x) is int or type(x) is tuple and all(map(_plain, x))


def dtype_key(x: Any) -> Any:
    """Stands for the dtype in keys of plans, where the hash of TensorFlow's own takes a Python call."""
    return _enum(x) if type(x) is _Eager and _enum is not None else getattr(x, "dtype", None)
