"""`unique`."""

from __future__ import annotations

from typing import Any

import torch


def _unique(
    x: torch.Tensor, ordered: bool, index: bool, inverse: bool, counts: bool, axis: Any, size: Any, fill: Any
) -> Any:
    if size is not None and axis is None and x.numel():
        values, first, which, number = _of_size(x.reshape(-1), size, fill)
        which = which.reshape(x.shape)
        return _chosen(values, (first, index), (which, inverse), (number, counts))
    values, which, number = torch.unique(x, sorted=True, return_inverse=True, return_counts=True, dim=axis)
    along = 0 if axis is None else axis
    if axis is None and x.is_floating_point():
        values, which, number = _one_nan(values, which, number)
    first = None
    if index:
        n = values.shape[along]
        places = torch.arange(which.numel(), device=x.device)
        first = torch.full((n,), which.numel(), device=x.device)
        first = first.scatter_reduce(0, which.reshape(-1), places, "amin")
    if size is not None:
        values = _sized(values, size, along, fill)
        first = None if first is None else _sized(first, size, 0, None)
        number = _sized(number, size, 0, 0)
    return _chosen(values, (first, index), (which, inverse), (number, counts))


def _chosen(values: torch.Tensor, *extras: Any) -> Any:
    chosen = [a.int() for a, wanted in extras if wanted]
    return (values, *chosen) if chosen else values


def _one_nan(values: torch.Tensor, which: torch.Tensor, number: torch.Tensor) -> Any:
    """PyTorch finds every NaN different from the others; they stand at the end."""
    n = int((values == values).sum()) + 1
    if len(values) <= n:
        return values, which, number
    return values[:n], which.clamp(max=n - 1), torch.cat([number[: n - 1], number[n - 1 :].sum()[None]])


def _of_size(x: torch.Tensor, size: int, fill: Any) -> Any:
    """Without a shape that depends on values, so that torch.compile can follow: runs of equals in sorted order."""
    order = torch.argsort(x, stable=True)
    ordered = x[order]
    changes = (ordered[1:] != ordered[:-1]) & ~torch.isnan(ordered[:-1])
    starts = torch.cat([torch.ones(1, dtype=torch.bool, device=x.device), changes])
    rank = torch.cumsum(starts, 0) - 1
    slot = rank.clamp(max=size)  # one place more takes what is cut off
    heads = torch.where(starts, slot, size)
    filler = ordered[0] if fill is None else torch.as_tensor(fill, dtype=x.dtype, device=x.device)
    values = filler.repeat(size + 1).scatter(0, heads, ordered)[:size]
    first = order[0].repeat(size + 1).scatter(0, heads, order)[:size]
    number = torch.zeros(size + 1, dtype=torch.long, device=x.device).index_add(0, slot, torch.ones_like(slot))[:size]
    return values, first, torch.empty_like(order).scatter(0, order, rank), number


def _sized(x: torch.Tensor, size: int, axis: int, fill: Any) -> torch.Tensor:
    n = x.shape[axis]
    if n >= size:
        return torch.narrow(x, axis, 0, size)
    if fill is None and n:
        filler = torch.narrow(x, axis, 0, 1)
    else:
        filler = torch.as_tensor(fill or 0, dtype=x.dtype, device=x.device)
    shape = list(x.shape)
    shape[axis] = size - n
    return torch.cat([x, torch.broadcast_to(filler, shape)], axis)


TABLE = {"unique": _unique}
