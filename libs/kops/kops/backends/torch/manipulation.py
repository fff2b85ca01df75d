"""Kernels that arrange elements anew."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from kops.backends.kernel_tables import kernels, native
from kops.backends.torch.core import in_range
from kops.dims import COPYING_PADS, as_tuple, full, other_pad, pad_pairs, pad_positions, shift_pairs, target
from kops.shapes import standardize_axes


def _pad(x: torch.Tensor, pad_width: Any, mode: str, constant_values: Any) -> torch.Tensor:
    pairs = pad_pairs(pad_width, x.ndim)
    if mode == "constant":
        flat = [n for pair in reversed(pairs) for n in pair]
        if isinstance(constant_values, torch.Tensor) or x.dtype == torch.bool:
            return _fill_around(x, flat, 0 if constant_values is None else constant_values)
        return F.pad(x, flat, value=0 if constant_values is None else in_range(constant_values, x.dtype))
    if mode not in COPYING_PADS:
        raise other_pad(mode, "torch")
    for axis, pair in enumerate(pairs):
        if any(pair):
            n = x.shape[axis]
            around = [pad_positions(i, n, mode, min, max) for i in range(-pair[0], n + pair[1])]
            x = torch.index_select(x, axis, torch.tensor(around, device=x.device))
    return x


def _fill_around(x: torch.Tensor, flat: list[int], value: Any) -> torch.Tensor:
    # F.pad takes numbers only, and no bools: pad a mask and choose.
    inside = F.pad(torch.ones(x.shape, dtype=torch.uint8, device=x.device), flat).bool()
    padded = F.pad(x.to(torch.uint8), flat).bool() if x.dtype == torch.bool else F.pad(x, flat)
    return torch.where(inside, padded, torch.as_tensor(value, dtype=x.dtype, device=x.device))


def _expand_dims(x: torch.Tensor, axis: Any) -> torch.Tensor:
    if isinstance(axis, int):
        return torch.unsqueeze(x, axis)
    for a in sorted(standardize_axes(axis, x.ndim + len(axis))):
        x = torch.unsqueeze(x, a)
    return x


def _squeeze(x: torch.Tensor, axis: Any) -> torch.Tensor:
    if axis is None:
        return torch.squeeze(x)
    axes = as_tuple(axis)
    if any(x.shape[a] != 1 for a in axes):  # torch would leave them without a word
        raise ValueError(f"Only axes of length 1 can be squeezed; shape {tuple(x.shape)}, axis {axis}.")
    return torch.squeeze(x, axes)


def _concatenate(xs: Any, axis: int) -> torch.Tensor:
    if len({x.ndim for x in xs}) > 1:  # PyTorch leaves out what has shape (0,)
        raise ValueError("Tensors need the same number of dimensions.")
    return torch.cat(xs, axis)


def _split(x: torch.Tensor, sections: Any, axis: int) -> list[torch.Tensor]:
    if isinstance(sections, int) and (sections < 1 or x.shape[axis] % sections):
        raise ValueError(f"{x.shape[axis]} elements do not split into {sections} equal parts.")
    return list(torch.tensor_split(x, sections if isinstance(sections, int) else tuple(int(i) for i in sections), axis))


def _repeat(x: torch.Tensor, repeats: Any, axis: Any) -> torch.Tensor:
    counts = repeats if isinstance(repeats, int) else torch.as_tensor(repeats, device=x.device)
    return torch.repeat_interleave(x, counts, dim=axis)


def _roll(x: torch.Tensor, shift: Any, axis: Any) -> torch.Tensor:
    if axis is None:
        return torch.roll(x, shift)
    return torch.roll(x, *shift_pairs(shift, axis))


def _unstack(x: torch.Tensor, num: Any, axis: int) -> list[torch.Tensor]:
    return list(torch.unbind(x, axis))


TABLE = {
    **native(torch, "ravel swapaxes stack"),
    **kernels(_concatenate, _expand_dims, _squeeze, _split, _unstack, _repeat, _roll, _pad),
    "reshape": lambda x, newshape: torch.reshape(x, target(newshape)),
    "moveaxis": lambda x, source, destination: torch.movedim(x, as_tuple(source), as_tuple(destination)),
    "transpose": lambda x, axes: torch.permute(x, tuple(range(x.ndim - 1, -1, -1)) if axes is None else axes),
    "tile": lambda x, repeats: torch.tile(x, as_tuple(repeats)),
    "broadcast_to": lambda x, shape: torch.broadcast_to(x, full(shape, x.shape)),
    "flip": lambda x, axis: torch.flip(x, tuple(range(x.ndim)) if axis is None else as_tuple(axis)),
}
