"""Kernels that order elements."""

from __future__ import annotations

import torch

from kops.backends.kernel_tables import kernels


def _flat(x: torch.Tensor, axis: int | None) -> tuple[torch.Tensor, int]:
    return (x.reshape(-1), 0) if axis is None else (x, axis)


def _argsort(x: torch.Tensor, axis: int | None) -> torch.Tensor:
    x, axis = _flat(x, axis)
    return torch.argsort(x, dim=axis, stable=True).int()


def _sort(x: torch.Tensor, axis: int | None) -> torch.Tensor:
    x, axis = _flat(x, axis)
    return torch.sort(x, dim=axis).values


def _top_k(x: torch.Tensor, k: int, sorted: bool) -> tuple[torch.Tensor, torch.Tensor]:
    if x.dtype == torch.bool:
        values, indices = torch.topk(x.to(torch.uint8), k, sorted=sorted)
        return values.bool(), indices.int()
    values, indices = torch.topk(x, k, sorted=sorted)
    return values, indices.int()


def _searchsorted(s: torch.Tensor, v: torch.Tensor, side: str) -> torch.Tensor:
    if s.ndim != 1:
        raise ValueError("The sequence has one dimension.")
    if s.dtype == torch.bool:
        s, v = s.to(torch.uint8), v.to(torch.uint8)
    if not s.is_floating_point():
        return torch.searchsorted(s.contiguous(), v.contiguous(), side=side, out_int32=True)
    # NaN is above everything else, which PyTorch's bisection does not know.
    missing = torch.isnan(s)
    count = (~missing).sum(dtype=torch.int32)
    s = torch.where(missing, torch.inf, s).contiguous()
    found = torch.searchsorted(s, v.contiguous(), side=side, out_int32=True).minimum(count)
    return torch.where(torch.isnan(v), count if side == "left" else s.shape[0], found)


TABLE = {
    **kernels(_sort, _argsort, _top_k, _searchsorted),
    "argpartition": lambda x, kth, axis: _argsort(x, axis),  # a full order is a partition, too
}
