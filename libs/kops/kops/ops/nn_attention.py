"""Attention."""

from __future__ import annotations

import math
from typing import Any

import kops
from kops import dtypes, promote, shapes
from kops.declare import Operand, Tensor, composite
from kops.dtypes import result_type


def _dtypes(query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None) -> Any:
    dtype = dtypes.to_inexact(result_type(query, key, value))
    return (dtype, dtype, dtype, bias and dtype, mask and "bool"), dtype


def _shape(query: Any, key: Any, value: Any, bias: Any, mask: Any, attn_logits_soft_cap: Any) -> shapes.Shape:
    if not len(query.shape) == len(key.shape) == len(value.shape) == 4:
        raise ValueError("query, key and value must have 4 dimensions: batch, positions, heads, head size.")
    if attn_logits_soft_cap is not None and not attn_logits_soft_cap > 0:
        raise ValueError(f"attn_logits_soft_cap is a limit above 0, not {attn_logits_soft_cap}.")
    batch, targets, heads, depth = query.shape
    _, sources, shared, _ = key.shape
    if not shapes.agree((batch, batch, sources), (key.shape[0], *value.shape[:2])):
        raise ValueError("batch sizes, and positions of key and value, must be equal.")
    if not shapes.agree((depth, shared), (key.shape[3], value.shape[2])):
        raise ValueError("query and key must have one head size, key and value one number of heads.")
    if None not in (heads, shared) and (shared == 0 or heads % shared):
        raise ValueError(f"{heads} heads of queries cannot be divided among {shared} heads of keys.")
    if depth == 0:
        raise ValueError("the head size is 0; the logits are divided by its root.")
    for name, extra in (("bias", bias), ("mask", mask)):
        if extra is not None:
            # Dimensions are of the logits; it may have fewer, but not more or larger ones.
            wanted = (batch, heads, targets, sources)
            full = shapes.broadcast_shapes(wanted, extra.shape)
            if not shapes.agree(full, wanted):
                raise ValueError(f"{name} must broadcast to (batch, heads, queries, keys) = {wanted}.")
    return (batch, targets, heads, value.shape[3])


@composite("nn", dtype=promote.real(_dtypes), shape=_shape, checked=True)
def dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    scale: Operand | None = None,
    is_causal: bool = False,
    flash_attention: bool | None = None,
    attn_logits_soft_cap: float | None = None,
) -> Any:
    """`softmax(scale * query @ key^T + bias) @ value`, for each head.

    Args:
        query: `(batch, queries, heads, size)`.
        key: `(batch, keys, shared heads, size)`, the number of heads dividing that of `query`: neighbouring heads of
            queries share one.
        value: `(batch, keys, shared heads, value size)`.
        bias: added to the logits; broadcasts to `(batch, heads, queries, keys)`.
        mask: bool, True where a query may look at a key; broadcasts likewise. A query that may look at none
            looks at all alike.
        scale: factor of the logits, default `1 / sqrt(size)`.
        is_causal: let query `i` look at keys `0...i` only.
        flash_attention: True insists on a kernel that does not store the logits, False excludes it; by default the
            engine decides.
        attn_logits_soft_cap: if given, logits become `cap * tanh(logits / cap)` before the mask.

    Returns:
        `(batch, queries, heads, value size)`.

    Raises:
        ValueError: for shapes that do not fit, or `flash_attention=True` where there is no such kernel.

    Reference: [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762)
    """
    if flash_attention:
        raise ValueError("flash_attention=True, but there is no such kernel for these arguments on this backend.")
    dtype = kops.standardize_dtype(query.dtype)
    heads, shared = query.shape[2], key.shape[2]
    if heads != shared:
        key, value = (kops.repeat(x, heads // shared, axis=2) for x in (key, value))
    if scale is None:
        scale = 1 / math.sqrt(query.shape[3])
    # (batch, positions, heads, size) -> (batch, heads, positions, size)
    q, v = (kops.transpose(x, (0, 2, 1, 3)) for x in (query * kops.cast(scale, dtype), value))
    logits = kops.matmul(q, kops.transpose(key, (0, 2, 3, 1)))
    if dtype in ("float16", "bfloat16"):
        logits = kops.cast(logits, "float32")
    if bias is not None:
        logits = logits + kops.cast(bias, logits.dtype)
    if attn_logits_soft_cap is not None:
        logits = attn_logits_soft_cap * kops.tanh(logits / attn_logits_soft_cap)
    if is_causal:
        causal = causal_mask(query, key)
        mask = causal if mask is None else kops.logical_and(mask, causal)
    if mask is not None:
        # Finite, so that where all is masked the softmax is uniform, not undefined.
        logits = kops.where(mask, logits, -1e30)
    weights = kops.cast(kops.softmax(logits, axis=-1), dtype)
    return kops.transpose(kops.matmul(weights, v), (0, 2, 1, 3))


def causal_mask(query: Any, key: Any) -> Any:
    """`(queries, keys)`, True where the key is not later than the query."""
    # A sum has all positions also where there is no batch.
    rows, columns = (
        kops.cumsum(kops.sum(kops.zeros_like(x[:, :, :1, :1], dtype="int32"), axis=(0, 2, 3)) + 1) for x in (query, key)
    )
    return kops.expand_dims(rows, 1) >= kops.expand_dims(columns, 0)
