"""Elementwise kernels."""

from __future__ import annotations

from typing import Any

import torch

from kops.backends.division import zero_by_zero
from kops.backends.kernel_tables import kernels, native
from kops.backends.limit import limit
from kops.backends.torch.core import in_range


def _comparison(function: Any, mirrored: Any) -> Any:
    """PyTorch compares with a scalar on the right only."""

    def kernel(x: Any, y: Any) -> Any:
        return function(x, y) if isinstance(x, torch.Tensor) else mirrored(y, x)

    return kernel


def _clip(x: Any, low: Any, high: Any) -> Any:
    low, high = in_range(limit(low, x), x.dtype), in_range(limit(high, x), x.dtype)
    if isinstance(low, torch.Tensor) != isinstance(high, torch.Tensor):
        # Bounds are both numbers or both tensors.
        low = low if low is None else torch.as_tensor(low, dtype=x.dtype, device=x.device)
        high = high if high is None else torch.as_tensor(high, dtype=x.dtype, device=x.device)
    return x if low is None and high is None else torch.clamp(x, low, high)


def _sign(x: Any) -> Any:
    if x.is_complex():
        return torch.sgn(x)
    # torch.sign says 0 for NaN.
    return torch.where(torch.isnan(x), x, torch.sign(x)) if x.is_floating_point() else torch.sign(x)


def _power(x: Any, y: Any) -> Any:
    if isinstance(y, int) and y < 0:  # PyTorch refuses negative scalars with integers, though not negative tensors
        y = torch.full((), y, dtype=x.dtype, device=x.device)
    return torch.pow(x, in_range(y, x.dtype) if isinstance(x, torch.Tensor) else y)


def _round(x: Any, decimals: int = 0) -> Any:
    if x.is_floating_point():
        return torch.round(x, decimals=decimals)
    if decimals >= 0:
        return x
    scale = 10**-decimals
    return (torch.round(x.double() / scale) * scale).to(x.dtype)


def _shift(function: Any) -> Any:
    def kernel(x: Any, y: Any) -> Any:
        if not torch.compiler.is_compiling():
            return function(x, y)
        width = 8 * x.dtype.itemsize
        beyond = y >= width
        shifted = function(x, torch.where(beyond, width - 1, y))
        # A compiled shift by the width is undefined; one more step is 0, or the sign.
        return torch.where(beyond, function(shifted, torch.ones_like(y)), shifted)

    return kernel


def requires_grad(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.requires_grad


def _whole(x: Any) -> bool:
    return not x.dtype.is_floating_point


def _divided(function: Any) -> Any:
    return zero_by_zero(function, torch.where, _whole)


def _imag(x: Any) -> Any:
    return x.imag if x.is_complex() else torch.zeros_like(x)


def _nextafter(x: Any, y: Any) -> Any:
    if x.dtype != torch.float16:
        return torch.nextafter(x, y)
    # By its bits: counted as signed integers, neighbours differ by one on each side of zero.
    bits = x.view(torch.int16)
    away = (y > x) == (x > 0)
    tiny = torch.where(y > 0, 1, -32767).to(torch.int16)
    step = torch.where(x == 0, tiny, torch.where(away, bits + 1, bits - 1).to(torch.int16)).view(torch.float16)
    return torch.where(torch.isnan(x) | torch.isnan(y), x + y, torch.where(x == y, y, step))


def _view_as_real(x: Any) -> Any:
    return torch.view_as_real(x.resolve_conj()) if x.is_complex() else torch.stack([x, torch.zeros_like(x)], -1)


def _view_as_complex(x: Any) -> Any:
    return torch.view_as_complex(x.contiguous())


def _where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    if isinstance(condition, bool):
        condition = torch.tensor(condition)
    return torch.where(condition) if x1 is None else torch.where(condition, x1, x2)


TABLE = {
    **native(
        torch,
        "add angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_not bitwise_or "
        "bitwise_xor ceil cos cosh divide erf erfc erfinv exp exp2 expm1 floor fmax fmin gcd i0 isfinite isinf "
        "isnan ldexp log log10 log1p log2 logical_and logical_not logical_or logical_xor maximum minimum multiply "
        "negative real reciprocal rsqrt signbit sin sinh sqrt square subtract tan tanh true_divide trunc "
        "conjugate=conj_physical",
    ),
    **native(torch, "floor_divide fmod mod=remainder", _divided),
    **kernels(_clip, _imag, _nextafter, _power, _round, _sign, _view_as_complex, _view_as_real, _where),
    "absolute": lambda x: x if x.dtype == torch.bool else torch.abs(x),
    "equal": _comparison(torch.eq, torch.eq),
    "greater": _comparison(torch.gt, torch.lt),
    "greater_equal": _comparison(torch.ge, torch.le),
    "left_shift": _shift(torch.bitwise_left_shift),
    "less": _comparison(torch.lt, torch.gt),
    "less_equal": _comparison(torch.le, torch.ge),
    "nan_to_num": lambda x, nan=0.0, posinf=None, neginf=None: torch.nan_to_num(x, nan, posinf, neginf),
    "not_equal": _comparison(torch.ne, torch.ne),
    "right_shift": _shift(torch.bitwise_right_shift),
}
_TAKE_SCALARS = (
    "add divide equal floor_divide full_like greater greater_equal less less_equal mod multiply not_equal power "
    "subtract true_divide where"
)
SCALARS = frozenset(_TAKE_SCALARS.split())
