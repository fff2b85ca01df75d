"""Quantiles: the formula of `kops.ops.reduction_quantile` in PyTorch's own ops, whose sort has NaN last."""

from __future__ import annotations

from typing import Any, Callable

import torch

from kops.declare import OPS
from kops.shapes import standardize_axes


def _quantile(x: Any, q: Any, axis: Any, method: str, keepdims: bool, skip_nan: bool) -> Any:
    check: Any = OPS["quantile"].shape_rule
    check(x, q, axis, method, keepdims)
    axes = standardize_axes(axis, x.ndim)
    if len(axes) == 1:
        rows = x.movedim(axes[0], -1)
    else:
        kept = [i for i in range(x.ndim) if i not in axes]
        rows = x.permute(*kept, *axes).flatten(len(kept)) if axes else x[..., None]
    ordered = torch.sort(rows, -1).values
    if skip_nan:
        count: Any = (~torch.isnan(ordered)).sum(-1, keepdim=True)
        nothing = count == 0
        last = (count - 1).clamp(min=0).to(q.dtype)
    else:
        last = rows.shape[-1] - 1
        nothing = torch.isnan(ordered[..., -1:])
    place = q.reshape(-1) * last
    rounded = torch.round(place) if method == "nearest" else torch.ceil(place) if method == "higher" else place.floor()

    def at(index: Any) -> Any:
        index = index.long()
        return ordered.gather(-1, index) if skip_nan else ordered.index_select(-1, index)

    result = below = at(rounded)
    if method in ("linear", "midpoint"):
        above = at(torch.ceil(place))
        part: Any = (place - rounded).to(x.dtype) if method == "linear" else 0.5
        # As the formula has it: without a difference, which may be infinite, and exact where both are the same.
        result = torch.where(below == above, below, below * (1 - part) + above * part)
    result = torch.where(nothing, torch.nan, result)
    result = result.movedim(-1, 0) if q.ndim else result[..., 0]
    for i in sorted(axes) if keepdims else ():
        result = result.unsqueeze(i + q.ndim)
    return result


def _at(skip_nan: bool, unit: float = 1.0) -> Callable[..., Any]:
    def kernel(x: Any, q: Any, axis: Any, method: str, keepdims: bool) -> Any:
        return _quantile(x, q if unit == 1.0 else q / unit, axis, method, keepdims, skip_nan)

    return kernel


def _middle(skip_nan: bool) -> Callable[..., Any]:
    def kernel(x: Any, axis: Any, keepdims: bool) -> Any:
        half = torch.full((), 0.5, dtype=torch.promote_types(x.dtype, torch.float32), device=x.device)
        return _quantile(x, half, axis, "linear", keepdims, skip_nan)

    return kernel


TABLE = {
    "median": _middle(False),
    "nanmedian": _middle(True),
    "nanpercentile": _at(True, 100.0),
    "nanquantile": _at(True),
    "percentile": _at(False, 100.0),
    "quantile": _at(False),
}
