"""Activation kernels."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from kops.backends.kernel_tables import kernels, native


def gelu(x: Any, approximate: bool) -> Any:
    return F.gelu(x, approximate="tanh" if approximate else "none")


def softplus(x: Any) -> Any:
    # F.softplus becomes the identity above its threshold of 20, where float64 still tells them apart.
    return torch.logaddexp(x, torch.zeros((), dtype=x.dtype, device=x.device))


def _flattened(function: Any) -> Any:
    """PyTorch takes one axis; several are brought to the end and joined."""

    def kernel(x: Any, axis: Any) -> Any:
        if isinstance(axis, int):
            if not x.ndim:
                raise ValueError("A scalar has no axis.")  # PyTorch takes -1 for one
            return function(x, axis)
        axes = range(x.ndim) if axis is None else [a % x.ndim for a in axis]
        order = [a for a in range(x.ndim) if a not in axes] + list(axes)
        moved = x.permute(order)
        # Of no axes, each number alone.
        joined = function(moved.flatten(x.ndim - len(axes)) if len(axes) else moved[..., None], -1)
        back = [order.index(a) for a in range(x.ndim)]
        return joined.reshape(moved.shape).permute(back)

    return kernel


def leaky_relu(x: Any, negative_slope: float) -> Any:
    return F.leaky_relu(x, negative_slope)


TABLE = {
    **native(F, "relu6 elu silu"),
    **native(torch, "relu selu sigmoid"),
    **kernels(leaky_relu, gelu, softplus),
    "softmax": _flattened(torch.softmax),
    "log_softmax": _flattened(torch.log_softmax),
}
