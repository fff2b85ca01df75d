"""Attention by JAX's own function, which on GPUs is a fused kernel."""

from __future__ import annotations

from typing import Any

import jax

from kops.declare import OPS

# Compiled as a whole also where it is called eagerly.
_fused = jax.jit(jax.nn.dot_product_attention, static_argnames=("scale", "is_causal", "implementation"))


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
    # It takes a bias and mask with the logits' four dimensions, values as long as keys, a number for a scale, and no
    # soft cap.
    whole = all(x is None or x.ndim == 4 for x in (query, key, value, bias, mask))
    usual = attn_logits_soft_cap is None and not isinstance(scale, jax.Array)
    if not (whole and usual and value.shape == key.shape and query.shape[2] % key.shape[2] == 0):
        return OPS["dot_product_attention"].body(
            query, key, value, bias, mask, scale, is_causal, flash_attention, attn_logits_soft_cap
        )
    implementation = "cudnn" if flash_attention else "xla" if flash_attention is False else None
    if flash_attention and jax.default_backend() != "gpu":
        raise ValueError("flash_attention=True needs a GPU on this backend.")
    factor = None if scale is None else float(scale)
    return _fused(query, key, value, bias, mask, scale=factor, is_causal=is_causal, implementation=implementation)


TABLE = {"dot_product_attention": dot_product_attention}
