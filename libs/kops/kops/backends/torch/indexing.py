"""Kernels that read and write elements by position."""

from __future__ import annotations

import math
from typing import Any

import torch

from kops.backends.kernel_tables import kernels
from kops.item_keys import canonical_key, entries_of, is_array, is_plain
from kops.shapes import standardize_axis


def _get_item(x: torch.Tensor, key: Any) -> torch.Tensor:
    if type(key) is int:
        return x[key]
    entries = key if type(key) is tuple else (key,)
    if is_plain(key) and not any(isinstance(e, slice) and (e.step or 1) < 0 for e in entries):
        return x[key]
    return _general_item(x, canonical_key(key))


def _general_item(x: torch.Tensor, key: Any) -> torch.Tensor:
    """torch has no negative steps and takes only its own arrays."""
    entries = entries_of(key, x.ndim)
    advanced = any(is_array(e) and len(e.shape) for e in entries)
    result: list[Any] = []
    flips: list[int] = []
    axis = 0
    for e in entries:
        if isinstance(e, slice) and (e.step or 1) < 0:
            positions = range(*e.indices(x.shape[axis]))
            flips.append(axis)
            # The same elements in ascending order, turned around beforehand.
            last = x.shape[axis] - 1
            e = slice(last - positions[0], last - positions[-1] + 1, -positions.step) if positions else slice(0, 0)
        elif is_array(e) and not isinstance(e, torch.Tensor):
            e = torch.as_tensor(e, device=x.device)
        elif isinstance(e, int) and advanced:
            e = torch.tensor([e], device=x.device)  # beside index arrays an int is one of them
        if e is not None:
            axis += e.ndim if isinstance(e, torch.Tensor) and e.dtype == torch.bool else 1
        if isinstance(e, torch.Tensor) and e.dtype != torch.bool:
            if e.is_floating_point() or e.is_complex():
                raise TypeError("Indices are integers.")
            e = e.long()[None] if advanced and not e.ndim else e.long()
        result.append(e)
    if flips:
        x = torch.flip(x, flips)
    return x[tuple(result)]


def _wrapped(indices: torch.Tensor, length: int) -> torch.Tensor:
    """Negative positions counted from the end; int64 as torch's gathers want."""
    if indices.dtype in (torch.uint8, torch.bool):
        return indices.long()
    indices = indices.long()
    return torch.where(indices < 0, indices + length, indices)


def _take(x: torch.Tensor, indices: torch.Tensor, axis: int | None) -> torch.Tensor:
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = standardize_axis(axis, x.ndim)
    if indices.ndim and indices.dtype in (torch.int32, torch.int64):
        # Indexing counts negative positions from the end by itself, without extra ops.
        return x[(*(slice(None),) * axis, indices)]
    flat = _wrapped(indices, x.shape[axis])
    if flat.ndim != 1:
        taken = torch.index_select(x, axis, flat.reshape(-1))
        return taken.reshape((*x.shape[:axis], *flat.shape, *x.shape[axis + 1 :]))
    return torch.index_select(x, axis, flat)


def take_along_axis(x: torch.Tensor, indices: torch.Tensor, axis: int | None) -> torch.Tensor:
    if axis is None:
        x, axis = x.reshape(-1), 0
    if indices.ndim != x.ndim:
        raise ValueError("Indices have the dimensions of the tensor.")
    return torch.take_along_dim(x, _wrapped(indices, x.shape[axis]), axis)


def _slice(x: torch.Tensor, starts: Any, shape: Any) -> torch.Tensor:
    for axis, n in enumerate(shape):
        start = starts[axis]
        if not isinstance(start, int):
            # Positions instead of a slice: nothing waits for the value, and torch.compile can follow.
            x = torch.index_select(x, axis, _positions(start, n, x))
            continue
        if start < 0:
            raise ValueError(f"A slice cannot start at {start}.")
        x = torch.narrow(x, axis, start, x.shape[axis] - start if n == -1 else n)
    return x


def _positions(start: Any, n: int, x: torch.Tensor) -> torch.Tensor:
    return torch.arange(n, device=x.device) + start


def _slice_update(x: torch.Tensor, starts: Any, updates: torch.Tensor) -> torch.Tensor:
    if isinstance(starts, (tuple, list)) and all(isinstance(s, int) for s in starts):
        out = x.clone()
        _slice(out, starts, updates.shape).copy_(updates)
        return out
    places = [_positions(starts[i], n, x).reshape((-1,) + (1,) * (x.ndim - 1 - i)) for i, n in enumerate(updates.shape)]
    return x.index_put(places, updates)


def _scatter(indices: torch.Tensor, values: torch.Tensor, shape: Any) -> torch.Tensor:
    zeros = torch.zeros(tuple(shape), dtype=values.dtype, device=values.device)
    return zeros.index_put(torch.unbind(indices.long(), -1), values, accumulate=True)


_REDUCE = {"max": "amax", "min": "amin", "mul": "prod"}


def _scatter_update(x: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor, reduction: Any) -> torch.Tensor:
    indices = indices.long()
    if not indices.shape[-1]:  # all of x is meant, which PyTorch has no index for
        return _scatter_update(x[None], indices.new_zeros((*indices.shape[:-1], 1)), updates, reduction)[0]
    if reduction in (None, "add"):
        return x.index_put(torch.unbind(indices, -1), updates, accumulate=reduction is not None)
    # Rows of the flattened leading axes, combined by index_reduce-like scatter.
    depth = indices.shape[-1]
    lead, rest = x.shape[:depth], x.shape[depth:]
    if not updates.numel():
        return x.clone()
    rows = torch.zeros(indices.shape[:-1], dtype=torch.long, device=x.device)
    for i, d in enumerate(lead):
        rows = rows * d + _wrapped(indices[..., i], d)
    width = math.prod(rest)
    places = rows.reshape(-1, 1).expand(-1, width)
    values = torch.broadcast_to(updates, (*indices.shape[:-1], *rest)).reshape(-1, width)
    flat = x.reshape(math.prod(lead), width)
    return flat.scatter_reduce(0, places, values, _REDUCE[reduction], include_self=True).reshape(x.shape)


TABLE = {
    **kernels(_get_item, _take, take_along_axis, _slice, _slice_update, _scatter, _scatter_update),
    "nonzero": lambda x: tuple(i.int() for i in torch.nonzero(x, as_tuple=True)),
    "isin": lambda x1, x2, unique, invert: torch.isin(x1, x2, assume_unique=unique, invert=invert),
}
