"""Kernels of this engine, by op name."""

from __future__ import annotations

from kops.backends.kernel_tables import merge_tables
from kops.backends.tensorflow import elementwise

_FAMILIES = (
    "control core_ops elementwise fft images indexing linalg linalg_matrix manipulation manipulation_diagonals "
    "nn_activations nn_conv nn_pooling nn_rnn random reduction segment sorting sorting_unique"
)
TABLE = merge_tables("kops.backends.tensorflow", _FAMILIES)
# Kernels of many ops, which are called as graphs.
_LONG = "conv_transpose ctc_loss floor_divide gru lstm lu_factor nextafter segment_max segment_min simple_rnn"
LONG = frozenset(_LONG.split())
SCALARS = elementwise.SCALARS
CARRIERS: dict[str, dict[str, str | None]] = {
    "nonzero": {"float16": "float32"},
    "repeat": {"uint16": "int32"},
    "tile": {"uint16": "int32"},
}
