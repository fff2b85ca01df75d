"""Whole numbers as vectors: the output modes that preprocessing layers share."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.settings import choice

MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")


def check_mode(output_mode: Any, allowed: tuple[str, ...] = MODES) -> str:
    """A valid output mode."""
    return choice(output_mode, "output_mode", allowed)


def refuse_sparse(sparse: Any) -> bool:
    """Sparse outputs exist on no engine but TensorFlow, and are not made here."""
    if sparse:
        raise ValueError("sparse=True is not supported: outputs are dense tensors on every engine. Leave it out.")
    return False


def encoded_shape(shape: Any, output_mode: str, depth: Any) -> Any:
    """The shape that `encode` gives."""
    shape = tuple(shape)
    if output_mode == "int":
        return shape
    if output_mode == "one_hot":
        return (*(shape[:-1] if shape and shape[-1] == 1 else shape or (1,)), depth)
    return (*shape[:-1], depth)


def encode(ids: Any, output_mode: str, depth: int, dtype: str, weights: Any = None) -> Any:
    """Ids as one vector each ("one_hot"), or all ids of the last axis as one vector.

    Args:
        ids: integer tensor; negative ids add nothing.
        output_mode: "one_hot"; "multi_hot" (1 where an id occurs); "count" (how often, or the sum of its `weights`);
            "tf_idf" (how often, times `weights[id]`).
        depth: size of the vectors.
        dtype: of the result.
        weights: like `ids` for "count", `(depth,)` for "tf_idf".

    Returns:
        A tensor; see `encoded_shape`.
    """
    if not len(ids.shape):
        ids = kops.expand_dims(ids, 0)
    if output_mode == "one_hot":
        if ids.shape[-1] == 1:
            ids = kops.squeeze(ids, axis=-1)
            ids = kops.expand_dims(ids, 0) if not len(ids.shape) else ids
        return kops.one_hot(ids, depth, dtype=dtype)
    single = kops.one_hot(ids, depth, dtype=dtype)
    if output_mode == "multi_hot":
        # A maximum would object to no ids at all.
        return kops.cast(kops.sum(single, axis=-2) > 0, dtype)
    if output_mode == "count" and weights is not None:
        single = single * kops.expand_dims(kops.cast(weights, dtype), -1)
    total = kops.sum(single, axis=-2)
    return total * kops.cast(weights, dtype) if output_mode == "tf_idf" else total
