"""Kernels of Fourier transforms and frames."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

_signal = tf.signal


def _parts(x: Any) -> tuple[Any, Any]:
    return tf.math.real(x), tf.math.imag(x)


def _irfft(x: Any, n: int | None) -> Any:
    if n is None and x[0].shape[-1] == 1:
        raise ValueError("TensorFlow ends the process where no number comes out.")
    return _signal.irfft(tf.complex(*x), None if n is None else [n])


TABLE = {
    "fft": lambda x: _parts(_signal.fft(tf.complex(*x))),
    "fft2": lambda x: _parts(_signal.fft2d(tf.complex(*x))),
    "ifft2": lambda x: _parts(_signal.ifft2d(tf.complex(*x))),
    "rfft": lambda x, n: _parts(_signal.rfft(x, None if n is None else [n])),
    "irfft": _irfft,
    "extract_sequences": lambda x, length, stride: _signal.frame(x, length, stride),
}
