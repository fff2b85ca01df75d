"""TensorFlow as an engine."""

from __future__ import annotations

from kops.backends.carrying import carry
from kops.backends.sparse import select
from kops.backends.tensorflow.core import (
    HAS_GRADIENTS,
    NAME,
    SEED_DTYPE,
    abstract_call,
    adopt,
    assign_variable,
    canonical,
    cast,
    compiling,
    convert,
    device_scope,
    dtype_name,
    dynamic_shape,
    is_tensor,
    jit,
    layer_base,
    make_variable,
    native_dtype,
    own_variable,
    read_variable,
    remat,
    shape,
    to_dense,
    to_numpy,
)
from kops.backends.tensorflow.gaps import GAPS
from kops.backends.tensorflow.table import CARRIERS, SCALARS, TABLE


def lookup(name, arguments):  # type: ignore[no-untyped-def]
    kernel = carry(CARRIERS, name, TABLE.get(name), arguments)
    return select(name, kernel, arguments, "kops.backends.tensorflow.sparse")


__all__ = [
    "GAPS", "HAS_GRADIENTS", "NAME", "SCALARS", "SEED_DTYPE", "TABLE", "abstract_call", "adopt",
    "assign_variable", "canonical", "cast", "compiling", "convert", "device_scope", "dtype_name",
    "dynamic_shape", "is_tensor", "jit", "layer_base", "lookup", "make_variable", "native_dtype",
    "own_variable", "read_variable", "remat", "shape", "to_dense", "to_numpy",
]  # fmt: skip
