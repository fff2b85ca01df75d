"""STFTSpectrogram."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from klayers.input_spec import InputSpec
from klayers.layer import Layer
from klayers.layers.settings import choice, config_of, positive_int
from kops.config import standardize_data_format
from kspec import public

MODES = ("log", "magnitude", "psd", "angle", "stft", "real", "imag")


@public("keras.layers.STFTSpectrogram")
class STFTSpectrogram(Layer):
    """Signals as spectra of short windows of them: a Fourier transform made of convolutions, which can be trained.

    Args:
        mode: "log" (of the magnitude), "magnitude", "psd" (power, of both signs of a frequency), "angle", "real",
            "imag", or "stft" (real and imaginary parts side by side).
        frame_length: size of a window.
        frame_step: steps between two windows; default half a window.
        fft_length: size of the Fourier transform; default `frame_length`.
        window: "hann", "hamming", another name that SciPy knows, an array, or None.
        periodic: whether the window is that of a periodic signal.
        scaling: "density" (by the power of the window), "spectrum" (by its sum), or None.
        padding: "valid" or "same".
        expand_dims: whether frequencies and channels get axes of their own.
        data_format: "channels_last" or "channels_first", default as configured.

    Input `(batch, time, channels)`. Output `(batch, windows, channels * frequencies)`, or expanded
    `(batch, windows, frequencies, channels)`; with channels first `(batch, channels * frequencies, windows)` and
    `(batch, channels, windows, frequencies)`.
    """

    def __init__(
        self,
        mode: str = "log",
        frame_length: int = 256,
        frame_step: int | None = None,
        fft_length: int | None = None,
        window: Any = "hann",
        periodic: bool = False,
        scaling: Any = "density",
        padding: str = "valid",
        expand_dims: bool = False,
        data_format: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.mode = choice(mode, "mode", MODES)
        self.frame_length = positive_int(frame_length, "frame_length")
        if frame_step is not None and not 1 <= frame_step <= frame_length:
            raise ValueError(f"frame_step must be from 1 to frame_length, not {frame_step}.")
        if fft_length is not None and fft_length < frame_length:
            raise ValueError(f"fft_length {fft_length} is smaller than frame_length {frame_length}.")
        if scaling not in ("density", "spectrum", None):
            raise ValueError(f"scaling must be 'density', 'spectrum' or None, not {scaling!r}.")
        self.frame_step = frame_step
        self.fft_length = fft_length
        self.window = window
        self.periodic = periodic
        self.scaling = scaling
        self.padding = choice(padding, "padding", ("valid", "same"))
        self.expand_dims = expand_dims
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=3)

    @property
    def _step(self) -> int:
        return self.frame_step or max(self.frame_length // 2, 1)

    @property
    def _size(self) -> int:
        return self.fft_length or self.frame_length

    def _window_values(self) -> np.ndarray:
        n = self.frame_length
        if self.window is None:
            return np.ones(n)
        if not isinstance(self.window, str):
            values = np.asarray(self.window, "float64")
            if values.shape != (n,):
                raise ValueError(f"A window must have frame_length = {n} values, not shape {values.shape}.")
            return values
        phase = 2 * np.pi * np.arange(n) / max(n if self.periodic else n - 1, 1)
        if self.window == "hann":
            return 0.5 - 0.5 * np.cos(phase)
        if self.window == "hamming":
            return 0.54 - 0.46 * np.cos(phase)
        from scipy.signal import get_window

        return get_window(self.window, n, self.periodic)

    def build(self, input_shape: Any) -> None:
        window = self._window_values()
        if self.scaling == "density":
            window = window / np.sqrt(np.sum(window**2))
        elif self.scaling == "spectrum":
            window = window / np.sum(window)
        bins = self._size // 2 + 1
        phase = 2 * np.pi * np.outer(np.arange(self.frame_length), np.arange(bins)) / self._size
        self.real_kernel = self.imag_kernel = None
        if self.mode != "imag":
            self.real_kernel = self._kernel("real_kernel", window[:, None] * np.cos(phase))
        if self.mode != "real":
            self.imag_kernel = self._kernel("imag_kernel", -window[:, None] * np.sin(phase))

    def _kernel(self, name: str, values: np.ndarray) -> Any:
        values = values[:, None, :].astype("float32")
        return self.add_weight(
            name=name, shape=values.shape, initializer=lambda shape, dtype=None: kops.cast(values, dtype or "float32")
        )

    def call(self, inputs: Any) -> Any:
        x = inputs if self.data_format == "channels_first" else kops.swapaxes(inputs, 1, 2)
        batch, channels, steps = kops.shape(x)
        x = kops.reshape(x, (-1, steps, 1))
        real, imag = (
            None
            if k is None
            else kops.conv(x, k, strides=self._step, padding=self.padding, data_format="channels_last")
            for k in (self.real_kernel, self.imag_kernel)
        )
        y = self._spectrum(real, imag)
        windows, bins = kops.shape(y)[1:]
        y = kops.reshape(y, (batch, channels, windows, bins))
        last = self.data_format == "channels_last"
        if self.expand_dims:
            return kops.transpose(y, (0, 2, 3, 1)) if last else y
        if last:
            return kops.reshape(kops.transpose(y, (0, 2, 1, 3)), (batch, windows, channels * bins))
        return kops.reshape(kops.transpose(y, (0, 1, 3, 2)), (batch, channels * bins, windows))

    def _spectrum(self, real: Any, imag: Any) -> Any:
        if self.mode == "real":
            return real
        if self.mode == "imag":
            return imag
        if self.mode == "stft":
            return kops.concatenate([real, imag], axis=-1)
        if self.mode == "angle":
            return kops.arctan2(imag, real)
        power = kops.square(real) + kops.square(imag)
        if self.mode == "psd":
            # A frequency stands for its negative, too, except 0 and, for even sizes, the highest.
            twice = np.full(self._size // 2 + 1, 2.0, "float32")
            twice[0] = 1.0
            if self._size % 2 == 0:
                twice[-1] = 1.0
            return power * kops.cast(twice, power.dtype)
        if self.mode == "magnitude":
            return kops.sqrt(power)
        return 0.5 * kops.log(kops.maximum(power, 1e-14))

    def compute_output_shape(self, input_shape: Any) -> Any:
        last = self.data_format == "channels_last"
        batch, steps, channels = input_shape if last else (input_shape[0], input_shape[2], input_shape[1])
        windows = None
        if steps is not None:
            covered = steps if self.padding == "same" else steps - self.frame_length + 1
            windows = -(-covered // self._step)
        bins = (self._size // 2 + 1) * (2 if self.mode == "stft" else 1)
        if self.expand_dims:
            return (batch, windows, bins, channels) if last else (batch, channels, windows, bins)
        flat = None if channels is None else channels * bins
        return (batch, windows, flat) if last else (batch, flat, windows)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **config_of(
                self,
                "mode",
                "frame_length",
                "frame_step",
                "fft_length",
                "window",
                "periodic",
                "scaling",
                "padding",
                "data_format",
                "expand_dims",
            ),
        }
