"""Kernels of Fourier transforms and frames."""

from __future__ import annotations

from typing import Any

import torch

from kops.declare import OPS


def _parts(x: torch.Tensor) -> tuple[Any, Any]:
    return x.real, x.imag


def _stft(x: torch.Tensor, length: int, stride: int, fft_length: int, window: Any, center: bool) -> Any:
    from kops.ops.fft_frames import window_of

    # It has one batch dimension, mirrors once only, and has no half precision.
    mirrored = not center or x.shape[-1] > fft_length // 2
    if x.ndim not in (1, 2) or not x.numel() or not mirrored or x.dtype not in (torch.float32, torch.float64):
        return OPS["stft"].formula(x, length, stride, fft_length, window, center)
    values = window_of(window, length, fft_length, str(x.dtype)[6:])
    y = torch.stft(x, fft_length, stride, None, values, center, "reflect", onesided=True, return_complex=True)
    return _parts(y.transpose(-1, -2))


TABLE = {
    "stft": _stft,
    "fft": lambda x: _parts(torch.fft.fft(torch.complex(*x))),
    "fft2": lambda x: _parts(torch.fft.fft2(torch.complex(*x))),
    "ifft2": lambda x: _parts(torch.fft.ifft2(torch.complex(*x))),
    "rfft": lambda x, n: _parts(torch.fft.rfft(x, n)),
    "irfft": lambda x, n: torch.fft.irfft(torch.complex(*x), n),
    "extract_sequences": lambda x, length, stride: x.unfold(-1, length, stride),
}
