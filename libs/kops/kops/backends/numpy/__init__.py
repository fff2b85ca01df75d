"""NumPy as an engine: everything but gradients."""

from __future__ import annotations

from kops.backends.numpy.core import (
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
    is_tensor,
    jit,
    layer_base,
    make_variable,
    native_dtype,
    own_variable,
    read_variable,
    remat,
    shape,
    to_numpy,
)
from kops.backends.numpy.gaps import GAPS
from kops.backends.numpy.table import SCALARS, TABLE


def lookup(name, arguments):  # type: ignore[no-untyped-def]
    return TABLE.get(name)


__all__ = [
    "GAPS", "HAS_GRADIENTS", "NAME", "SCALARS", "SEED_DTYPE", "TABLE", "abstract_call", "adopt",
    "assign_variable", "canonical", "cast", "compiling", "convert", "device_scope", "dtype_name",
    "is_tensor", "jit", "layer_base", "lookup", "make_variable", "native_dtype", "own_variable",
    "read_variable", "remat", "shape", "to_numpy",
]  # fmt: skip
