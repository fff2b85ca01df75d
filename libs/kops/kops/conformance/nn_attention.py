"""Rows of attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.conformance.rows import B, F, L, case, row


def _attention(
    q: Any, k: Any, v: Any, bias: Any = None, mask: Any = None, scale: Any = None, is_causal: bool = False,
    flash_attention: Any = None, attn_logits_soft_cap: Any = None,
) -> Any:  # fmt: skip
    out = np.zeros((*q.shape[:3], v.shape[3]))
    logits_shape = (q.shape[0], q.shape[2], q.shape[1], k.shape[1])
    bias = np.zeros(logits_shape) if bias is None else np.broadcast_to(bias, logits_shape)
    mask = np.ones(logits_shape, bool) if mask is None else np.broadcast_to(mask, logits_shape)
    for b in range(q.shape[0]):
        for h in range(q.shape[2]):
            g = h // (q.shape[2] // k.shape[2])
            z = q[b, :, h] @ k[b, :, g].T * (q.shape[3] ** -0.5 if scale is None else scale) + bias[b, h]
            if attn_logits_soft_cap is not None:
                z = attn_logits_soft_cap * np.tanh(z / attn_logits_soft_cap)
            seen = mask[b, h] & (np.tri(*z.shape, dtype=np.bool_) if is_causal else True)
            for t in range(q.shape[1]):
                w = np.where(seen[t], np.exp(z[t] - z[t].max()), 0) if seen[t].any() else np.ones(k.shape[1])
                out[b, t, h] = w / w.sum() @ v[b, :, g]
    return out


_Q, _K, _V = F(2, 3, 4, 8), F(2, 5, 4, 8), F(2, 5, 4, 6)
_SOME = L(np.array([[[[True, True, False, False, True], [False] * 5, [True, False, True, True, True]]]]))

ROWS = [
    row(
        "dot_product_attention",
        F(2, 3, 4, 8),
        F(2, 5, 4, 8),
        F(2, 5, 4, 6),
        ref=_attention,
        grad=True,
        dtypes=("float32", "float16", "bfloat16"),
        bad=[
            case(F(2, 3, 8), F(2, 5, 4, 8), F(2, 5, 4, 8), match="4 dimensions"),
            case(F(2, 3, 4, 8), F(2, 5, 3, 8), F(2, 5, 3, 8), match="divided"),
            case(F(2, 3, 4, 8), F(2, 5, 4, 7), F(2, 5, 4, 8), match="head size"),
            case(F(2, 3, 4, 8), F(2, 5, 4, 8), F(2, 6, 4, 8), match="positions"),
            case(F(2, 3, 4, 8), F(2, 5, 4, 8), F(2, 5, 4, 8), F(2, 4, 3, 4), match="broadcast"),
        ],
    ),
    row("dot_product_attention", _Q, _K, _V, is_causal=True, ref=_attention, grad=True),
    row("dot_product_attention", _Q, _K, _V, None, _SOME, ref=_attention, grad=True),
    row("dot_product_attention", _Q, _K, _V, None, B(2, 1, 1, 5), is_causal=True, ref=_attention),
    row("dot_product_attention", _Q, _K, _V, F(1, 4, 3, 5), _SOME, 0.3, ref=_attention, grad=True),
    row("dot_product_attention", _Q, _K, _V, F(3, 5), is_causal=True, ref=_attention),
    row("dot_product_attention", _Q, F(2, 5, 2, 8), F(2, 5, 2, 6), ref=_attention, grad=True),
    row(
        "dot_product_attention",
        _Q,
        F(2, 5, 1, 8),
        F(2, 5, 1, 6),
        is_causal=True,
        attn_logits_soft_cap=0.5,
        ref=_attention,
        grad=True,
    ),
    row("dot_product_attention", _Q, _K, _V, flash_attention=False, ref=_attention),
]
