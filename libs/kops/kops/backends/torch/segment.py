"""Kernels of segment reductions."""

from __future__ import annotations

from typing import Any

import torch

from kops.backends.numpy.segment import start_of


def _segment(native: str, reduction: str) -> Any:
    def kernel(data: torch.Tensor, ids: torch.Tensor, num: Any, ordered: bool) -> torch.Tensor:
        n = (max(int(ids.max()) + 1, 0) if ids.numel() else 0) if num is None else num
        ids = ids.long()
        ids = torch.where((ids < 0) | (ids >= n), n, ids)  # one more segment takes what belongs to none
        shape = (n + 1, *data.shape[1:])
        out = torch.full(shape, start_of(reduction, str(data.dtype)[6:]), dtype=data.dtype, device=data.device)
        if reduction == "sum":
            return out.index_add(0, ids, data)[:n]
        places = ids.reshape((-1,) + (1,) * (data.ndim - 1)).expand(data.shape)
        return out.scatter_reduce(0, places, data, native, include_self=True)[:n]

    return kernel


TABLE = {
    "segment_sum": _segment("sum", "sum"),
    "segment_max": _segment("amax", "max"),
    "segment_min": _segment("amin", "min"),
    "segment_prod": _segment("prod", "prod"),
}
