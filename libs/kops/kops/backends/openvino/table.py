"""Graph kernels of the OpenVINO engine, by op name: GraphTensors (or NumPy constants) in, GraphTensors out."""

from __future__ import annotations

from kops.backends.kernel_tables import merge_tables
from kops.backends.openvino import fft

_FAMILIES = (
    "control core_ops elementwise fft indexing linalg linalg_matrix manipulation manipulation_diagonals "
    "nn_activations nn_attention nn_conv nn_pooling nn_rnn reduction segment sorting"
)
GRAPH_TABLE = merge_tables("kops.backends.openvino", _FAMILIES)
# The CPU has no transforms of 64 bits, nor anything else: it computes float64 in float32.
CARRIERS = {name: {"float64": "float32"} for name in fft.TABLE}
