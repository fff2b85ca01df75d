"""Graph kernels of the OpenVINO engine, by op name: GraphTensors (or NumPy constants) in, GraphTensors out."""

from __future__ import annotations

from kops.backends.merging import merge_tables

GRAPH_TABLE = merge_tables([])
