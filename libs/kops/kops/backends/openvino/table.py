"""Graph kernels of the OpenVINO engine, by op name: GraphTensors (or NumPy constants) in, GraphTensors out."""

from __future__ import annotations

from kops.backends.merging import merge_tables
from kops.backends.openvino import (
    core_ops,
    elementwise,
    indexing,
    linalg,
    manipulation,
    nn_activations,
    nn_conv,
    nn_pooling,
    nn_rnn,
    reduction,
    sorting,
)

GRAPH_TABLE = merge_tables(
    [
        core_ops,
        elementwise,
        indexing,
        linalg,
        manipulation,
        nn_activations,
        nn_conv,
        nn_pooling,
        nn_rnn,
        reduction,
        sorting,
    ]
)
