"""Kernels of this engine, by op name."""

from __future__ import annotations

from kops.backends.merging import merge_tables
from kops.backends.torch import elementwise, indexing, linalg, manipulation, nn_activations, nn_conv, sorting

TABLE = merge_tables([elementwise, indexing, linalg, manipulation, nn_activations, nn_conv, sorting])
SCALARS = elementwise.SCALARS
