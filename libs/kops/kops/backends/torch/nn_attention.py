"""Attention by PyTorch's fused kernel."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from kops.declare import OPS


def dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any,
    mask: Any,
    scale: Any,
    is_causal: bool,
    flash_attention: bool | None,
    attn_logits_soft_cap: float | None,
) -> Any:
    # The fused kernel knows no soft cap, and one of mask and is_causal.
    fused = attn_logits_soft_cap is None and flash_attention is not False and query.ndim == 4
    if not fused:
        return OPS["dot_product_attention"].body(
            query, key, value, bias, mask, scale, is_causal, flash_attention, attn_logits_soft_cap
        )
    if key.shape[:3] != value.shape[:3] or query.shape[::3] != key.shape[::3]:
        raise ValueError("The shapes do not fit.")  # it reads beyond the arrays instead
    if isinstance(scale, torch.Tensor):
        query, scale = query * scale.to(query.dtype), 1.0
    if is_causal and (bias is not None or mask is not None):
        causal = torch.ones(query.shape[1], key.shape[1], dtype=torch.bool, device=query.device).tril()
        mask = causal if mask is None else mask & causal
        is_causal = False
    added = bias
    q, k, v = (x.transpose(1, 2) for x in (query, key, value))
    if mask is not None:
        # Where all is masked, the kernel gives 0; we look at all alike, as if the query were 0.
        mask = torch.atleast_2d(mask)
        seen = mask.any(-1, keepdim=True)
        q, mask = q * seen, mask | ~seen
        added = mask if bias is None else torch.where(mask, bias * seen, -float("inf"))
    shared = q.shape[1] != k.shape[1]
    if flash_attention:
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            y = F.scaled_dot_product_attention(q, k, v, added, 0.0, is_causal, scale=scale, enable_gqa=shared)
    else:
        y = F.scaled_dot_product_attention(q, k, v, added, 0.0, is_causal, scale=scale, enable_gqa=shared)
    return y.transpose(1, 2)


TABLE = {"dot_product_attention": dot_product_attention}
