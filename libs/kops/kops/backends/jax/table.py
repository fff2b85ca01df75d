"""Kernels of this engine, by op name."""

from __future__ import annotations

from kops.backends.jax import (
    control,
    core_ops,
    elementwise,
    fft,
    indexing,
    linalg,
    linalg_matrix,
    manipulation,
    manipulation_diagonals,
    nn_activations,
    nn_attention,
    nn_conv,
    nn_pooling,
    nn_rnn,
    random,
    reduction,
    segment,
    sorting,
    sorting_unique,
)
from kops.backends.merging import merge_tables

TABLE = merge_tables(
    [
        control,
        core_ops,
        elementwise,
        fft,
        indexing,
        linalg,
        linalg_matrix,
        manipulation,
        manipulation_diagonals,
        nn_activations,
        nn_attention,
        nn_conv,
        nn_pooling,
        nn_rnn,
        random,
        reduction,
        segment,
        sorting,
        sorting_unique,
    ]
)
SCALARS = elementwise.SCALARS
