"""Tensors, dtypes and variables of the TensorFlow engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from kops.backends.probing import probe
from kops.backends.tensorflow.eager import recording
from kops.config import settings
from kops.dtypes import standardize_dtype

NAME = "tensorflow"
SEED_DTYPE = "int64"  # the stateless generators of TensorFlow take no uint32
HAS_GRADIENTS = True
compiling = None

# Graphs of these fail when they run, if there are no elements.
NOTHING = frozenset(["depthwise_conv", "get_item", "rfft", "scatter_update"])
with tf.Graph().as_default():
    GraphTensor: Any = type(tf.constant(0))
_TENSORS = (tf.Tensor, tf.Variable, tf.RaggedTensor, tf.SparseTensor, tf.IndexedSlices)


def is_tensor(x: Any) -> bool:
    return isinstance(x, _TENSORS)


def dtype_name(x: Any) -> str:
    name = x.dtype.name
    return name[:-4] if name.endswith("_ref") else name


def shape(x: Any) -> tuple[int | None, ...]:
    static = x.shape
    if static.rank is None:
        raise ValueError(f"{x!r} has unknown rank; give it a rank with tf.ensure_shape.")
    return tuple(static.as_list())


def dynamic_shape(x: Any, static: Any) -> tuple[Any, ...]:
    """`static` with scalar tensors in place of unknown dimensions."""
    sizes = (
        x.bounding_shape()
        if isinstance(x, tf.RaggedTensor)
        else x.dense_shape
        if isinstance(x, tf.SparseTensor)
        else tf.shape(x)
    )
    return tuple(sizes[i] if d is None else d for i, d in enumerate(static))


def to_dense(x: Any) -> tf.Tensor:
    return x.to_tensor() if isinstance(x, tf.RaggedTensor) else tf.sparse.to_dense(x)


def native_dtype(name: str) -> tf.DType:
    return tf.as_dtype(name)


def canonical(name: str) -> str:
    return name


def convert(x: Any, dtype: str | None) -> tf.Tensor:
    if isinstance(x, _TENSORS):
        if isinstance(x, tf.Variable):
            x = x.value()
        return x if dtype is None or dtype_name(x) == dtype else cast(x, dtype)
    if dtype is None and not hasattr(x, "dtype"):
        dtype = _python_dtype(x)
    elif dtype is not None and hasattr(x, "dtype"):
        # NumPy arrays and the like of another dtype: TensorFlow refuses to convert, so cast.
        own = standardize_dtype(x.dtype)
        return tf.convert_to_tensor(x) if own == dtype else cast(tf.convert_to_tensor(x), dtype)
    elif dtype is not None and dtype != "string":
        x = np.asarray(x) if not _holds_tensors(x) else x
        if isinstance(x, np.ndarray):
            return tf.convert_to_tensor(x.astype(tf.as_dtype(dtype).as_numpy_dtype))
    return tf.convert_to_tensor(x, dtype=dtype)


def exactly(x: Any, dtype: tf.DType) -> tf.Tensor:
    """`tf.cast`, which makes 32 bits of a Python float first."""
    return tf.cast(x, dtype) if tf.is_tensor(x) else convert(x, dtype.name)


def _holds_tensors(x: Any) -> bool:
    return isinstance(x, (list, tuple)) and any(isinstance(v, _TENSORS) or _holds_tensors(v) for v in x)


def _python_dtype(x: Any) -> str | None:
    if _holds_tensors(x):
        return None
    array = np.asarray(x)
    if array.dtype.kind == "f":
        return settings.floatx
    if array.dtype == np.int64:
        return "int32" if array.size == 0 or (array.min() >= -(2**31) and array.max() < 2**31) else "int64"
    if array.dtype.kind == "c" and settings.floatx != "float64":
        return "complex64"
    return None


def cast(x: Any, dtype: str) -> Any:
    if x.dtype.is_complex and not dtype.startswith("complex"):
        x = tf.math.real(x)
    return tf.cast(x, dtype)


def to_numpy(x: Any) -> np.ndarray:
    if isinstance(x, tf.SparseTensor):
        x = tf.sparse.to_dense(x)
    elif isinstance(x, tf.RaggedTensor):
        x = x.to_tensor()
    elif isinstance(x, tf.IndexedSlices):
        x = tf.convert_to_tensor(x)
    # np.asarray refuses what __array__ gives for scalars of bfloat16.
    return np.asarray(x.numpy() if hasattr(x, "numpy") else x)


def adopt(function: Any) -> Any:
    # AutoGraph would rewrite the dispatcher's source when a user calls an op inside tf.function; this attribute is
    # how it recognises what must be called as it is.
    function.autograph_info__ = {}
    return function


def jit(function: Any) -> Any:
    return tf.function(function, jit_compile=True, autograph=False)


def remat(function: Any) -> Any:
    return tf.recompute_grad(function)


def make_variable(value: Any, trainable: bool, name: str) -> tf.Variable:
    with tf.init_scope():
        if isinstance(value, tf.Tensor) and not hasattr(value, "numpy"):
            raise ValueError(
                f"Variable {name!r} would get its value inside a tf.function, where it lives only while tracing. "
                "Create variables outside, or in build()."
            )
        return tf.Variable(value, trainable=trainable, name=name.replace("/", "_"), dtype=value.dtype)


def read_variable(native: tf.Variable) -> tf.Tensor:
    # `value()` is this op and twice its time around it: for tapes, graphs and the variables of a distribution.
    if type(native).__name__ == "ResourceVariable" and not recording():
        return tf.raw_ops.ReadVariableOp(resource=native.handle, dtype=native.dtype)
    return native.value()


def assign_variable(native: tf.Variable, value: Any) -> tf.Variable:
    native.assign(value)
    return native


def own_variable(native: Any, array: np.ndarray, trainable: bool, name: str) -> tf.Variable:
    value = convert(array, None)
    return make_variable(value, trainable, name) if native is None else assign_variable(native, value)


def device_scope(name: str) -> Any:
    return tf.device(name)


def layer_base() -> type:
    from kops.backends.tensorflow.layer import LayerBase

    return LayerBase


def abstract_call(function: Any, args: Any, kwargs: Any) -> Any:
    def evaluate(call: Any, specs: Any) -> Any:
        traced = tf.function(lambda *xs: call(list(xs)), autograph=False).get_concrete_function(
            *(tf.TensorSpec(s, d) for s, d in specs)
        )
        return tf.nest.map_structure(lambda x: tf.TensorSpec(x.shape, x.dtype), traced.structured_outputs)

    return probe(function, args, kwargs, evaluate)
