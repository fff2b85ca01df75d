"""MelSpectrogram."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import kops
from klayers.layers.data_layer import DataLayer
from klayers.layers.settings import config_of, positive_int
from kspec import public


@public("keras.layers.MelSpectrogram")
class MelSpectrogram(DataLayer):
    """Sound as its strength over time and the mel scale of pitches.

    Args:
        fft_length: size of the Fourier transform.
        sequence_stride: steps between two windows.
        sequence_length: size of a window; default `fft_length`.
        window: "hann", "hamming", or an array.
        sampling_rate: steps per second.
        num_mel_bins: number of bands.
        min_freq, max_freq: the lowest and highest frequency in hertz; default up to half the sampling rate.
        power_to_db: whether the result is in decibels.
        top_db: how far below the highest value decibels may lie.
        mag_exp: power of the magnitude: 1 is energy, 2 is power.
        min_power: smaller values count as this.
        ref_power: what 0 decibels are.

    Input `(batch, time)` or `(time,)`. Output `(batch, num_mel_bins, windows)` or `(num_mel_bins, windows)`.
    """

    def __init__(
        self,
        fft_length: int = 2048,
        sequence_stride: int = 512,
        sequence_length: int | None = None,
        window: Any = "hann",
        sampling_rate: int = 16000,
        num_mel_bins: int = 128,
        min_freq: float = 20.0,
        max_freq: float | None = None,
        power_to_db: bool = True,
        top_db: float = 80.0,
        mag_exp: float = 2.0,
        min_power: float = 1e-10,
        ref_power: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.fft_length = positive_int(fft_length, "fft_length")
        self.sequence_stride = positive_int(sequence_stride, "sequence_stride")
        self.sequence_length = positive_int(sequence_length or fft_length, "sequence_length")
        self.window = window
        self.sampling_rate = sampling_rate
        self.num_mel_bins = positive_int(num_mel_bins, "num_mel_bins")
        self.min_freq = min_freq
        self.max_freq = max_freq or sampling_rate // 2
        self.power_to_db = power_to_db
        self.top_db = top_db
        self.mag_exp = mag_exp
        self.min_power = min_power
        self.ref_power = ref_power

    def call(self, inputs: Any) -> Any:
        x = kops.cast(inputs, "float32")
        real, imag = kops.stft(
            x,
            sequence_length=self.sequence_length,
            sequence_stride=self.sequence_stride,
            fft_length=self.fft_length,
            window=self.window,
            center=True,
        )
        magnitude = kops.sqrt(kops.square(real) + kops.square(imag))
        if self.mag_exp != 1.0:
            magnitude = kops.power(magnitude, self.mag_exp)
        mel = kops.matmul(magnitude, self._matrix())
        mel = kops.swapaxes(mel, -1, -2)
        if self.power_to_db:
            mel = self._decibels(mel)
        return kops.cast(mel, self.compute_dtype)

    def _decibels(self, x: Any) -> Any:
        reference = 10.0 * math.log10(max(self.min_power, self.ref_power))
        db = kops.log10(kops.maximum(x, self.min_power)) * 10.0 - reference
        return kops.maximum(db, kops.max(db) - self.top_db)

    def _matrix(self) -> Any:
        return self.linear_to_mel_weight_matrix(
            num_mel_bins=self.num_mel_bins,
            num_spectrogram_bins=self.fft_length // 2 + 1,
            sampling_rate=self.sampling_rate,
            lower_edge_hertz=self.min_freq,
            upper_edge_hertz=self.max_freq,
        )

    def linear_to_mel_weight_matrix(
        self,
        num_mel_bins: int = 20,
        num_spectrogram_bins: int = 129,
        sampling_rate: int = 8000,
        lower_edge_hertz: float = 125.0,
        upper_edge_hertz: float = 3800.0,
        dtype: str = "float32",
    ) -> Any:
        """How much each frequency of a spectrum adds to each band: triangles of equal width on the mel scale.

        Returns:
            A tensor `(num_spectrogram_bins, num_mel_bins)`; the constant part of a sound adds to none.

        Source: Stevens, Volkmann and Newman, 1937; the scale as in the HTK book: `1127 log(1 + hertz / 700)`.
        """

        def mel(hertz: Any) -> Any:
            return 1127.0 * np.log1p(np.asarray(hertz, "float64") / 700.0)

        at = mel(np.linspace(0.0, sampling_rate / 2.0, num_spectrogram_bins))[:, None]
        edges = np.linspace(mel(lower_edge_hertz), mel(upper_edge_hertz), num_mel_bins + 2)
        low, middle, high = edges[:-2], edges[1:-1], edges[2:]
        weights = np.maximum(0.0, np.minimum((at - low) / (middle - low), (high - at) / (high - middle)))
        weights[0] = 0.0
        return kops.cast(weights.astype("float32"), dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        steps = input_shape[-1]
        windows = None if steps is None else 1 + steps // self.sequence_stride
        return (*input_shape[:-1], self.num_mel_bins, windows)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **config_of(
                self,
                "fft_length",
                "sequence_stride",
                "sequence_length",
                "window",
                "sampling_rate",
                "num_mel_bins",
                "min_freq",
                "max_freq",
                "power_to_db",
                "top_db",
                "mag_exp",
                "min_power",
                "ref_power",
            ),
        }
