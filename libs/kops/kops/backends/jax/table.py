"""Kernels of this engine, by op name."""

from __future__ import annotations

from kops.backends.jax import elementwise
from kops.backends.kernel_tables import merge_tables

_FAMILIES = (
    "control core_ops elementwise fft indexing linalg linalg_matrix manipulation manipulation_diagonals "
    "nn_activations nn_attention nn_conv nn_pooling nn_rnn random reduction segment sorting sorting_unique"
)
TABLE = merge_tables("kops.backends.jax", _FAMILIES)
SCALARS = elementwise.SCALARS
