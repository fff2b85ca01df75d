"""Unsigned integers of 16 bits and more, for which PyTorch has hardly a kernel: they compute as int64.

The low bits are those of the wrapped result. What is wrong is the order of uint64 numbers above 2**63.
"""

from __future__ import annotations

from typing import Any

import torch

UNSIGNED = frozenset({torch.uint16, torch.uint32, torch.uint64})
# These read or keep the bits, or only look at the shape.
_NATIVE = frozenset({"copy", "view"})


def _wide(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return type(x)([_wide(v) for v in x])
    if isinstance(x, torch.Tensor):
        return x.to(torch.int64) if x.dtype in UNSIGNED else x
    return torch.int64 if isinstance(x, torch.dtype) and x in UNSIGNED else x


def _any_unsigned(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(map(_any_unsigned, x))
    if isinstance(x, str):  # a dtype asked for
        return x in ("uint16", "uint32", "uint64")
    return isinstance(x, torch.Tensor) and x.dtype in UNSIGNED


def select(name: str, kernel: Any, arguments: Any) -> Any:
    """`kernel`, or that kernel behind a cast when unsigned tensors are among the arguments."""
    if kernel is None or name in _NATIVE or not _any_unsigned(tuple(arguments)):
        return kernel
    return lambda *args: kernel(*map(_wide, args))
