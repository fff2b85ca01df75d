"""Kernels of Fourier transforms and frames."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax


def _parts(x: Any) -> tuple[Any, Any]:
    return x.real, x.imag


def _frames(x: Any, length: int, stride: int) -> Any:
    starts = np.arange(1 + (x.shape[-1] - length) // stride) * stride
    return x[..., starts[:, None] + np.arange(length)]


TABLE = {
    "fft": lambda x: _parts(jnp.fft.fft(lax.complex(*x))),
    "fft2": lambda x: _parts(jnp.fft.fft2(lax.complex(*x))),
    "ifft2": lambda x: _parts(jnp.fft.ifft2(lax.complex(*x))),
    "rfft": lambda x, n: _parts(jnp.fft.rfft(x, n)),
    "irfft": lambda x, n: jnp.fft.irfft(lax.complex(*x), n),
    "extract_sequences": _frames,
}
