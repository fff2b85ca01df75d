"""MelSpectrogram and STFTSpectrogram against NumPy's Fourier transform."""

import numpy as np
import pytest

from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.mel_spectrogram import MelSpectrogram
from klayers.layers.stft_spectrogram import STFTSpectrogram

X = np.random.default_rng(0).normal(size=(2, 100, 3)).astype("float32")
WINDOW = np.hanning(16)


def spectra(size=16):
    """`(batch, channels, windows, bins)`."""
    frames = np.stack([X[:, t : t + 16] for t in range(0, 85, 8)], 1)
    return np.moveaxis(np.fft.rfft(frames * WINDOW[:, None], size, axis=2), -1, 1)


FORMULAS = {
    "magnitude": np.abs,
    "log": lambda z: np.log(np.abs(z)),
    "real": np.real,
    "imag": np.imag,
    "stft": lambda z: np.concatenate([z.real, z.imag], -1),
    "psd": lambda z: np.abs(z) ** 2 * np.where((np.arange(9) == 0) | (np.arange(9) == 8), 1, 2),
}


@pytest.mark.parametrize("mode", FORMULAS)
def test_modes(mode):
    layer = STFTSpectrogram(mode, frame_length=16, scaling=None, expand_dims=True)
    expected = np.moveaxis(FORMULAS[mode](spectra()), 1, -1)
    np.testing.assert_allclose(as_array(layer(X)), expected, rtol=1e-3, atol=1e-3)
    assert layer.compute_output_shape((None, 100, 3)) == (None, *expected.shape[1:])


def test_settings():
    for scaling, by in (("density", np.sqrt((WINDOW**2).sum())), ("spectrum", WINDOW.sum())):
        layer = STFTSpectrogram("magnitude", frame_length=16, fft_length=32, scaling=scaling, expand_dims=True)
        expected = np.moveaxis(np.abs(spectra(32)), 1, -1) / by
        np.testing.assert_allclose(as_array(layer(X)), expected, rtol=1e-3, atol=1e-4)

    def make(**k):
        return STFTSpectrogram("magnitude", frame_length=16, scaling=None, **k)

    flat = np.abs(spectra()).transpose(0, 2, 1, 3).reshape(2, 11, 27)
    np.testing.assert_allclose(as_array(make()(X)), flat, rtol=1e-3, atol=1e-3)
    first = make(data_format="channels_first")(np.moveaxis(X, -1, 1))
    np.testing.assert_allclose(as_array(first), np.moveaxis(flat, 1, 2), rtol=1e-3, atol=1e-3)
    same = make(padding="same")
    assert same(X).shape == same.compute_output_shape((2, 100, 3)) == (2, 13, 27)
    assert len(make().trainable_variables) == 0 and len(same.trainable_variables) == 2


def test_mel():
    x = X[..., 0].copy()
    layer = MelSpectrogram(16, 8, num_mel_bins=4, sampling_rate=1000, power_to_db=False, mag_exp=1.0, min_freq=10.0)
    padded = np.pad(x, ((0, 0), (8, 8)), mode="reflect")
    frames = np.stack([padded[:, t : t + 16] for t in range(0, 101, 8)], 1)
    periodic = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(16) / 16)
    magnitude = np.abs(np.fft.rfft(frames * periodic))
    matrix = as_array(layer.linear_to_mel_weight_matrix(4, 9, 1000, 10.0, 500.0))
    check_layer(
        lambda **k: MelSpectrogram(
            16, 8, num_mel_bins=4, sampling_rate=1000, power_to_db=False, mag_exp=1.0, min_freq=10.0, **k
        ),
        x,
        np.swapaxes(magnitude @ matrix, 1, 2),
        rtol=1e-3,
        atol=1e-4,
        low_precision=False,
        jit=False,
        empty=False,
    )
    loud = as_array(MelSpectrogram(16, 8, num_mel_bins=4, sampling_rate=1000, min_freq=10.0, top_db=20.0)(x))
    power = 10 * np.log10(np.maximum(np.swapaxes(magnitude**2 @ matrix, 1, 2), 1e-10))
    np.testing.assert_allclose(loud, np.maximum(power, power.max() - 20), rtol=1e-3, atol=1e-2)


def test_the_mel_scale():
    # Recorded from Keras 3.15.1.
    matrix = as_array(MelSpectrogram().linear_to_mel_weight_matrix(5, 9, 8000, 125.0, 3800.0))
    np.testing.assert_allclose(matrix[1:3, :3], [[0.6747846, 0.32521543, 0], [0, 0.44289392, 0.5571061]], atol=1e-5)
    assert not matrix[0].any() and not matrix[8].any()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: STFTSpectrogram("power"), "mode must be one of"),
        (lambda: STFTSpectrogram(frame_length=8, frame_step=9), "frame_step"),
        (lambda: STFTSpectrogram(frame_length=8, fft_length=4), "fft_length"),
        (lambda: STFTSpectrogram(scaling="none"), "scaling must be"),
        (lambda: MelSpectrogram(0), "fft_length must be a positive"),
    ],
)
def test_wrong_arguments(make, words):
    with pytest.raises(ValueError, match=words):
        make()
