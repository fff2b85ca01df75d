"""Kernels of this engine, by op name."""

from __future__ import annotations

from kops.backends.kernel_tables import merge_tables
from kops.backends.torch import elementwise

_FAMILIES = (
    "composites control core_ops elementwise fft indexing linalg linalg_matrix manipulation manipulation_diagonals "
    "nn_activations nn_attention nn_conv nn_ctc nn_normalization nn_pooling nn_rnn random reduction "
    "segment sorting sorting_unique"
)
TABLE = merge_tables("kops.backends.torch", _FAMILIES)
SCALARS = elementwise.SCALARS
CARRIERS: dict[str, dict[str, str | None]] = {
    "glu": {"complex64": None, "complex128": None},
    "isin": {"bool": "uint8", "complex64": None, "complex128": None},
}
