"""Rows of Fourier transforms and frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.conformance.rows import F, case, row


def _parts(z):
    return z.real, z.imag


def _pair(function):
    return lambda x, *args, **static: _parts(function(x[0] + 1j * x[1], *args, **static))


def _frames(x, n, s):
    return np.stack([x[..., i : i + n] for i in range(0, x.shape[-1] - n + 1, s)], axis=-2)


def _hann(n):
    return np.sin(np.pi * np.arange(n) / n) ** 2


def _stft(x, n, s, m, window="hann", center=True):
    w: Any = 1.0
    if window is not None:
        w = {"hann": _hann(n), "hamming": 0.08 + 0.92 * _hann(n)}[window]
        w = np.pad(w, ((m - n) // 2, m - n - (m - n) // 2))
    if center:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(m // 2, m // 2)], mode="reflect")
    return _parts(np.fft.rfft(_frames(x, m, s) * w, m))


def _round_trip(n, s, m, center=True, count=32):
    signal = np.random.default_rng(5).normal(size=(2, count))
    return signal, _stft(signal, n, s, m, center=center)


SIGNAL, (REAL, IMAGINARY) = _round_trip(8, 4, 8)
SIGNAL2, (REAL2, IMAGINARY2) = _round_trip(6, 2, 8, center=False)


def _fixed(value):
    from kops.conformance.rows import L

    return L(value)


NOTE = "the number of frames must be known"
ROWS = [
    row("fft", [F(2, 6), F(2, 6)], ref=_pair(np.fft.fft), grad=True, dtypes=("float32", "float64", "float16"),
        bad=[case([F(2, 3), F(2, 4)]), case([F(3)]), case([F(), F()])]),
    row("fft2", [F(2, 3, 4), F(2, 3, 4)], ref=_pair(np.fft.fft2), grad=True, bad=[case([F(3), F(3)])]),
    row("ifft2", [F(2, 3, 4), F(2, 3, 4)], ref=_pair(np.fft.ifft2), grad=True, bad=[case([F(3), F(3)])]),
    row("rfft", F(2, 7), ref=lambda x: _parts(np.fft.rfft(x)), grad=True, bad=[case(F(3), fft_length=0)]),
    row("rfft", F(2, 7), fft_length=10, ref=lambda x, fft_length: _parts(np.fft.rfft(x, fft_length))),
    row("rfft", F(2, 7), fft_length=4, ref=lambda x, fft_length: _parts(np.fft.rfft(x, fft_length))),
    row("irfft", [F(2, 5), F(2, 5)], ref=lambda x: np.fft.irfft(x[0] + 1j * x[1]), bad=[case([F(2), F(3)])]),
    row("irfft", [F(2, 5), F(2, 5)], fft_length=9,
        ref=lambda x, fft_length: np.fft.irfft(x[0] + 1j * x[1], fft_length)),
    row("extract_sequences", F(2, 9), 4, 2, ref=_frames, grad=True, dynamic="all",
        bad=[case(F(3), 4, 1), case(F(3), 0, 1), case(F(3), 2, 0)]),
    row("stft", F(2, 20), 6, 3, 8, ref=_stft, grad=True, tol=1e-4,
        bad=[case(F(9), 6, 3, 4), case(F(9), 4, 2, 4, "box")]),
    row("stft", F(20), 6, 3, 6, window="hamming", center=False, ref=_stft, tol=1e-4),
    row("stft", F(2, 20), 5, 2, 8, window=None, ref=_stft, tol=1e-4),
    row("istft", [_fixed(REAL), _fixed(IMAGINARY)], 8, 4, 8, ref=SIGNAL, tol=1e-4, dynamic=False, note=NOTE),
    row("istft", [_fixed(REAL), _fixed(IMAGINARY)], 8, 4, 8, length=30, ref=SIGNAL[:, :30], tol=1e-4, dynamic=False,
        note=NOTE),
    row("istft", [_fixed(REAL2), _fixed(IMAGINARY2)], 6, 2, 8, center=False, tol=2e-3, dynamic=False, note=NOTE,
        ref=lambda x, *a, **k: np.where(np.arange(32) < 2, 0, np.where(np.arange(32) > 30, 0, SIGNAL2)),
        bad=[case([F(2, 3, 3), F(2, 3, 3)], 6, 2, 4)]),
]  # fmt: skip
