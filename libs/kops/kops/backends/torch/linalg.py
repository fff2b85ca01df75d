"""Kernels of products."""

from __future__ import annotations

from typing import Any

import torch

from kops.backends.kernel_tables import kernels
from kops.dims import as_tuple

_SMALL = (torch.bool, torch.int8, torch.uint8, torch.int16, torch.uint16)


def _wide(x: torch.Tensor) -> torch.Tensor:
    """Small ints would overflow while they are summed; the unsigned ones have no products."""
    if x.dtype in _SMALL:
        return x.to(torch.int32)
    return x.to(torch.int64) if x.dtype in (torch.uint32, torch.uint64) else x


def _int8_product(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    """Of matrices, in int32: by oneDNN or cuBLAS, many times faster than torch's own loop over ints."""
    terms, columns = x2.shape
    if x1.device.type == "cpu" or (x1.shape[0] > 16 and terms % 8 == 0 and columns % 8 == 0):
        return torch._int_mm(x1, x2)
    # Sizes that cuBLAS does not take. Up to 2**10 products of two int8 sum to less than 2**24: exact in float32.
    exact = torch.float32 if terms <= 2**10 else torch.float64
    return torch.matmul(x1.to(exact), x2.to(exact)).to(torch.int32)


def _matmul(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    if x1.dtype.is_floating_point:
        return torch.matmul(x1, x2)
    if x1.dtype == torch.int8 and x2.ndim == 2 and x1.ndim > 1:
        rows = _int8_product(x1.flatten(0, -2), x2)
        return rows.reshape((*x1.shape[:-1], x2.shape[-1]))
    return torch.matmul(_wide(x1), _wide(x2))


def _tensordot(x1: torch.Tensor, x2: torch.Tensor, axes: Any) -> torch.Tensor:
    axes = axes if isinstance(axes, int) else tuple(as_tuple(a) for a in axes)
    return torch.tensordot(_wide(x1), _wide(x2), dims=axes)


def _einsum(subscripts: str, operands: Any, kwargs: Any) -> torch.Tensor:
    if operands[0].dtype.is_floating_point:
        return torch.einsum(subscripts, *operands)
    out = torch.einsum(subscripts, *[_wide(x) for x in operands])
    # torch sums ints in int64
    return out.to(torch.int32) if operands[0].dtype in (torch.int8, torch.int32) else out.to(operands[0].dtype)


TABLE = {
    **kernels(_matmul, _tensordot, _einsum),
    "outer": lambda x1, x2: torch.outer(x1.reshape(-1), x2.reshape(-1)),
    "kron": torch.kron,
}
