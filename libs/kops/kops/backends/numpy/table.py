"""Kernels of the NumPy engine, by op name."""

from __future__ import annotations

from kops.backends.merging import merge_tables
from kops.backends.numpy import (
    control,
    core_ops,
    elementwise,
    indexing,
    linalg,
    manipulation,
    nn_activations,
    nn_conv,
    nn_pooling,
    nn_rnn,
    random,
    reduction,
    sorting,
)

TABLE = merge_tables(
    [
        control,
        core_ops,
        reduction,
        elementwise,
        indexing,
        linalg,
        manipulation,
        nn_activations,
        nn_conv,
        sorting,
        nn_pooling,
        random,
        nn_rnn,
    ]
)
SCALARS = elementwise.SCALARS
