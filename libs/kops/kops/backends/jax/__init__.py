"""JAX as an engine."""

from __future__ import annotations

from kops.backends.jax.core import (
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
from kops.backends.jax.gaps import GAPS
from kops.backends.jax.jitted import jitted
from kops.backends.jax.table import SCALARS, TABLE
from kops.backends.sparse import select


def lookup(name, arguments):  # type: ignore[no-untyped-def]
    return select(name, TABLE.get(name) or jitted(name), arguments, "kops.backends.jax.sparse")


__all__ = [
    "GAPS", "HAS_GRADIENTS", "NAME", "SCALARS", "SEED_DTYPE", "TABLE", "abstract_call", "adopt",
    "assign_variable", "canonical", "cast", "compiling", "convert", "device_scope", "dtype_name",
    "is_tensor", "jit", "layer_base", "lookup", "make_variable", "native_dtype", "own_variable",
    "read_variable", "remat", "shape", "to_numpy",
]  # fmt: skip
