"""Kernels of this engine, by op name."""

from __future__ import annotations

from kops.backends.merging import merge_tables
from kops.backends.jax import elementwise, nn_activations

TABLE = merge_tables([elementwise, nn_activations])
SCALARS = elementwise.SCALARS
