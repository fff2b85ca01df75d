"""Kernels of Fourier transforms and frames."""

from __future__ import annotations

from typing import Any

import numpy as np


def _complex(x: Any) -> Any:
    real, imaginary = x
    return real + 1j * imaginary


def _parts(x: Any) -> tuple[Any, Any]:
    return x.real, x.imag


def _frames(x: Any, length: int, stride: int) -> Any:
    return np.lib.stride_tricks.sliding_window_view(x, length, axis=-1)[..., ::stride, :]


def _irfft(x: Any, n: Any) -> Any:
    x = _complex(x)
    # Of no frequencies NumPy gives what stood in memory.
    return np.fft.irfft(x if x.shape[-1] else np.zeros((*x.shape[:-1], 1), x.dtype), n)


TABLE = {
    "fft": lambda x: _parts(np.fft.fft(_complex(x))),
    "fft2": lambda x: _parts(np.fft.fft2(_complex(x))),
    "ifft2": lambda x: _parts(np.fft.ifft2(_complex(x))),
    "rfft": lambda x, n: _parts(np.fft.rfft(x, n)),
    "irfft": _irfft,
    "extract_sequences": _frames,
}
