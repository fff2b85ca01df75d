"""Unsigned integers of 16 bits and more, for which PyTorch has hardly a kernel: they compute as int64.

The low bits are those of the wrapped result. Where the order matters, and from 2**63 up the two have not the same, the
first bit is turned around: then they have. Division is two divisions of half the number.
"""

from __future__ import annotations

from typing import Any

import torch

from kops.declare import OPS

UNSIGNED = frozenset({torch.uint16, torch.uint32, torch.uint64})
# These read or keep the bits, or only look at the shape.
_NATIVE = frozenset({"copy", "view"})
_PLAIN: dict[str, Any] = {"absolute": lambda x: x, "relu": lambda x: x, "sign": lambda x: x.long() != 0}
_FIRST = -(2**63)
# Where Python numbers may stand that have a place in the order, and whether the (first) output has one.
_ORDERED: dict[str, tuple[tuple[int, ...], bool]] = {
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), ((0, 1), False)),
    **dict.fromkeys(("argmax", "argmin", "argpartition", "argsort", "searchsorted"), ((), False)),
    **dict.fromkeys(("partition", "segment_max", "segment_min", "sort", "top_k"), ((), True)),
    "unique": ((7,), True),
    **dict.fromkeys(("max", "min"), ((3,), True)),
    "maximum": ((0, 1), True),
    "minimum": ((0, 1), True),
    "clip": ((1, 2), True),
}


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
    if kernel is None or name in _NATIVE or not _any_unsigned(tuple(arguments)) or OPS[name].kind == "functional":
        return kernel  # the ops of a loop see to their own arguments
    if name == "gcd":
        return None  # the formula: from 2**63 up PyTorch's would be that of negative numbers
    if name in _PLAIN:
        return _PLAIN[name]
    if name in _ORDERED:
        return _ordered(kernel, *_ORDERED[name])
    if name.endswith("right_shift"):
        return lambda x, y: _shifted(kernel, _wide(x), _wide(y))
    if name in ("floor_divide", "fmod", "mod"):
        return lambda x, y: _divided(kernel, name == "floor_divide", x, y)
    return lambda *args: kernel(*map(_wide, args))


def _ordered(kernel: Any, numbers: tuple[int, ...], values: bool) -> Any:
    def turned(*args: Any) -> Any:
        if not any(isinstance(x, torch.Tensor) and x.dtype == torch.uint64 for x in args):
            return kernel(*map(_wide, args))
        out = kernel(*(_turn(x, i in numbers) for i, x in enumerate(args)))
        if not values:
            return out
        return (_back(out[0]), *out[1:]) if isinstance(out, (tuple, list)) else _back(out)

    return turned


def _turn(x: Any, number: bool) -> Any:
    if isinstance(x, torch.Tensor):
        return x.to(torch.int64) ^ _FIRST if x.dtype == torch.uint64 else x
    return min(max(int(x), 0), 2**64 - 1) + _FIRST if number and x is not None else x


def _back(x: Any) -> Any:
    return (x ^ _FIRST).to(torch.uint64)


def _shifted(kernel: Any, x: Any, y: Any) -> Any:
    return torch.where(y == 0, x, kernel(x >> 1 & ~_FIRST, y - 1))  # zeros come in where int64 has its sign


def _divided(kernel: Any, quotient: bool, x: Any, y: Any) -> Any:
    if torch.uint64 not in (getattr(x, "dtype", None), getattr(y, "dtype", None)):
        return kernel(_wide(x), _wide(y))
    x, y = (v.to(torch.int64) if isinstance(v, torch.Tensor) else torch.tensor(v - (v >> 63 << 64)) for v in (x, y))
    divisor = torch.where(y == 0, 1, y)
    half = torch.where(y < 0, 0, torch.div(x >> 1 & ~_FIRST, divisor, rounding_mode="trunc") * 2)
    whole = half + ((x - half * divisor ^ _FIRST) >= (divisor ^ _FIRST))
    return torch.where(y == 0, 0, whole if quotient else x - whole * divisor)
