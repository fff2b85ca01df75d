"""Random bits: the algorithm of `kops.random_hash` on int32, whose products wrap like those of unsigned words."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode

from kops.random_hash import MIX_MULTIPLIERS, MULTIPLIERS, SEED_CROSS, SEED_OFFSETS, WORD, host_bits


def _signed(word: int) -> int:
    return word - 2**32 if word >= 2**31 else word


_M0, _M1, _M2 = (_signed(m) for m in MULTIPLIERS)
_N0, _N1 = (_signed(m) for m in MIX_MULTIPLIERS)
_OFFSETS = [_signed(w) for w in SEED_OFFSETS]
_CROSS = _signed(SEED_CROSS)


def seed_native(seed: int) -> None:
    torch.manual_seed(seed)


def _fold(x: torch.Tensor, shift: int) -> torch.Tensor:
    # A logical shift: PyTorch's copies the sign.
    return x.bitwise_xor_((x >> shift).bitwise_and_((1 << (32 - shift)) - 1))


def _mix(w: torch.Tensor) -> torch.Tensor:
    """Of words in int64, which the products do not leave: TorchInductor saturates those of constants in int32."""
    w = w & WORD
    w = (w ^ (w >> 16)) * _N0 & WORD
    w = (w ^ (w >> 15)) * _N1 & WORD
    return w ^ (w >> 16)


def _readable(seed: torch.Tensor) -> bool:
    """Whether the seed is a plain tensor on the CPU, outside of every tracer and function transform."""
    return (
        seed.device.type == "cpu"
        and type(seed) in (torch.Tensor, torch.nn.Parameter)
        and not torch.compiler.is_compiling()
        and _get_current_dispatch_mode() is None
        and not torch._C._functorch.is_functorch_wrapped_tensor(seed)
        and not torch.jit.is_tracing()
    )


@torch.no_grad()
def _bits(seed: Any, shape: Any) -> torch.Tensor:
    if _readable(seed):
        # Chunk by chunk in the cache NumPy is several times faster than two dozen passes over memory.
        return torch.from_numpy(host_bits(seed.tolist(), tuple(shape)))
    v = _mix(seed.to(torch.int64) + torch.tensor(_OFFSETS, dtype=torch.int64, device=seed.device))
    k0, k1 = _mix(v + v.flip(0) * _CROSS).to(torch.int32)
    x = torch.arange(math.prod(shape), dtype=torch.int32, device=seed.device) + k0
    x = _fold(x, 17).mul_(_M0).bitwise_xor(k1)
    x = _fold(x, 11).mul_(_M1)
    x = _fold(x, 15).mul_(_M2)
    return _fold(x, 14).reshape(tuple(shape))


@torch.no_grad()
def _below(seed: Any, span: Any, shape: Any, dtype: Any) -> torch.Tensor:
    first, second = (_bits(seed, (2, *shape)).to(torch.int64) >> 1) & 0x7FFFFFFF
    span = span.to(torch.int64)
    return (second * span + (first * span >> 31) >> 31).to(dtype)


def _advance(seed: Any) -> Any:
    seed = seed.detach()
    return [seed.clone(), seed + torch.tensor([0, 1], dtype=seed.dtype, device=seed.device)]


TABLE = {"random_bits": _bits, "random_below": _below, "advance_seed": _advance}
