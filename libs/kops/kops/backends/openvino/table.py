"""Graph kernels of the OpenVINO engine, by op name: GraphTensors (or NumPy constants) in, GraphTensors out."""

from __future__ import annotations

from kops.backends.kernel_tables import merge_tables

_FAMILIES = (
    "control core_ops elementwise fft indexing linalg linalg_matrix manipulation "
    "nn_activations nn_attention nn_conv nn_pooling nn_rnn reduction segment sorting"
)
GRAPH_TABLE = merge_tables("kops.backends.openvino", _FAMILIES)
# What moves elements and computes none.
_MOVING = "control core_ops indexing manipulation"
MOVING = merge_tables("kops.backends.openvino", _MOVING).keys() - {
    "arange",
    "scatter",
    "scatter_update",
    "slice_update",
}
