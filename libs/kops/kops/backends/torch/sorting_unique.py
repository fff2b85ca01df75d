"""`unique`: runs of equal numbers in sorted order, without a shape that depends on values where the size is given."""

from __future__ import annotations

from typing import Any

import torch


def _unique(
    x: torch.Tensor, ordered: bool, index: bool, inverse: bool, counts: bool, axis: Any, size: Any, fill: Any
) -> Any:
    if size is None and not (index or inverse or counts or x.is_floating_point()):
        return torch.unique(x, dim=axis)
    shape, along = x.shape, 0 if axis is None else axis % x.ndim
    if axis is None:
        numbers = x = x.reshape(-1)
    else:  # of slices, the place in their order
        numbers = torch.unique(x, dim=axis, return_inverse=True)[1]
    order = torch.argsort(numbers, stable=True)
    sorted_ = numbers[order]
    changes = (sorted_[1:] != sorted_[:-1]) & ~torch.isnan(sorted_[:-1])  # all NaN are one
    starts = torch.cat([torch.ones_like(sorted_[:1], dtype=torch.bool), changes])
    rank = torch.cumsum(starts, 0) - 1
    n = int(starts.sum()) if size is None else size
    slot = rank.clamp(max=n)  # one place more takes what is cut off
    if not order.numel():  # a zero to fill up with
        x, order = x.new_zeros((*x.shape[:along], 1, *x.shape[along + 1 :])), order.new_zeros(1)
    heads = torch.where(starts, slot, n)
    first = order[:1].repeat(n + 1).scatter(0, heads, order[: len(heads)])[:n]
    values = x.index_select(along, first)
    if fill is not None:
        missing = torch.arange(n, device=x.device) >= starts.sum()
        missing = missing.reshape((-1,) + (1,) * (x.ndim - along - 1))
        values = torch.where(missing, torch.as_tensor(fill, dtype=x.dtype, device=x.device), values)
    number = torch.zeros(n + 1, dtype=torch.long, device=x.device).index_add(0, slot, torch.ones_like(slot))[:n]
    which = torch.empty_like(rank).scatter(0, order[: len(rank)], rank).reshape(shape if axis is None else (-1,))
    extras = [a.int() for a, wanted in ((first, index), (which, inverse), (number, counts)) if wanted]
    return (values, *extras) if extras else values


TABLE = {"unique": _unique}
