"""Kernels of Fourier transforms and frames."""

from __future__ import annotations

from typing import Any

import torch


def _parts(x: torch.Tensor) -> tuple[Any, Any]:
    return x.real, x.imag


TABLE = {
    "fft": lambda x: _parts(torch.fft.fft(torch.complex(*x))),
    "fft2": lambda x: _parts(torch.fft.fft2(torch.complex(*x))),
    "ifft2": lambda x: _parts(torch.fft.ifft2(torch.complex(*x))),
    "rfft": lambda x, n: _parts(torch.fft.rfft(x, n)),
    "irfft": lambda x, n: torch.fft.irfft(torch.complex(*x), n),
    "extract_sequences": lambda x, length, stride: x.unfold(-1, length, stride),
}
