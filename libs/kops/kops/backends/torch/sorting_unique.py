"""`unique`."""

from __future__ import annotations

from typing import Any

import torch


def _unique(
    x: torch.Tensor, ordered: bool, index: bool, inverse: bool, counts: bool, axis: Any, size: Any, fill: Any
) -> Any:
    values, which, number = torch.unique(x, sorted=True, return_inverse=True, return_counts=True, dim=axis)
    along = 0 if axis is None else axis
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
    extras = [a.int() for a, wanted in ((first, index), (which, inverse), (number, counts)) if wanted]
    return (values, *extras) if extras else values


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
