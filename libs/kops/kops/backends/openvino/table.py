"""Graph kernels of the OpenVINO engine, by op name: GraphTensors (or NumPy constants) in, GraphTensors out."""

from __future__ import annotations

from kops.backends.merging import merge_tables
from kops.backends.openvino import nn_activations, nn_conv, nn_pooling

GRAPH_TABLE = merge_tables([nn_activations, nn_conv, nn_pooling])
