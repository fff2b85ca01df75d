"""Attention by OpenVINO's own op, which its plug-ins have fused kernels for."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from kops.backends.openvino import opset
from kops.backends.openvino.core import GraphTensor, dtype_name, node
from kops.declare import OPS
from kops.ops.nn_attention import causal_mask


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
    # It knows no soft cap and no shared heads, and adds masks: -1e30 needs the range of float32.
    alike = query.shape[2] is not None and query.shape[2] == key.shape[2]
    hidden = mask is not None or (is_causal and bias is not None)
    usual = flash_attention is None and attn_logits_soft_cap is None
    if not (alike and usual and (not hidden or dtype_name(query) == "float32")):
        return OPS["dot_product_attention"].body(
            query, key, value, bias, mask, scale, is_causal, flash_attention, attn_logits_soft_cap
        )
    if hidden and is_causal:  # it would leave the mask out
        causal = causal_mask(query, key)
        mask = causal if mask is None else kops.logical_and(mask, causal)
    if mask is not None:
        bias = kops.where(mask, 0.0 if bias is None else bias, -1e30)
    order = opset.constant(np.array([0, 2, 1, 3]))
    q, k, v = (opset.transpose(node(x), order) for x in (query, key, value))
    kind = q.get_element_type()

    def alone(x: Any) -> Any:
        return opset.convert(node(x) if isinstance(x, GraphTensor) else opset.constant(np.float32(x)), kind)

    if scale is not None and bias is None:
        bias = 0.0  # the inputs are told apart by their place
    y = opset.scaled_dot_product_attention(
        q,
        k,
        v,
        None if bias is None else alone(bias),
        None if scale is None else alone(scale),
        is_causal and not hidden,
    )
    return GraphTensor(opset.transpose(y, order))


TABLE = {"dot_product_attention": dot_product_attention}
