"""Initializers without chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from klayers.initializers.base import Initializer, to_native
from klayers.initializers.draw import sizes
from ksave import deserialize_keras_object, serialize_keras_object
from kspec import public


@public("keras.initializers.Zeros", "keras.initializers.zeros")
class Zeros(Initializer):
    """All zeros."""

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return to_native(np.zeros(sizes(shape), dtype="float32"), dtype)


@public("keras.initializers.Ones", "keras.initializers.ones")
class Ones(Initializer):
    """All ones."""

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return to_native(np.ones(sizes(shape), dtype="float32"), dtype)


@public("keras.initializers.Constant", "keras.initializers.constant")
class Constant(Initializer):
    """One value everywhere.

    Args:
        value: a number, or an array that broadcasts to the shape.

    Example:
        >>> Constant(0.3)((2,))
        [0.3, 0.3]
    """

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        value = np.asarray(self.value)
        try:
            values = np.broadcast_to(value, sizes(shape)).copy()
        except ValueError as error:
            raise ValueError(
                f"Constant holds a value of shape {value.shape}, which does not broadcast to {sizes(shape)}."
            ) from error
        return to_native(values, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"value": serialize_keras_object(self.value)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Constant:
        return cls(deserialize_keras_object(config["value"]))


@public("keras.initializers.Identity", "keras.initializers.IdentityInitializer", "keras.initializers.identity")
class Identity(Initializer):
    """A matrix with `gain` on its diagonal and zeros elsewhere.

    Args:
        gain: the value on the diagonal.

    Raises:
        ValueError: when the shape has not two dimensions.
    """

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        shape = sizes(shape)
        if len(shape) != 2:
            raise ValueError(f"Identity initializes matrices (2 dimensions), not a tensor of shape {shape}.")
        return to_native((self.gain * np.eye(*shape)).astype("float32"), dtype)

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain} if self.gain != 1.0 else {}


_BLACKMAN_HARRIS = (0.35875, 0.48829, 0.14128, 0.01168)
_COSINE_SUMS = {
    "boxcar": (1.0,),
    "hann": (0.5, 0.5),
    "hamming": (0.54, 0.46),
    "blackman": (0.42, 0.5, 0.08),
    "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
    "blackmanharris": _BLACKMAN_HARRIS,
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
}
_WINDOW_ALIASES = {"ones": "boxcar", "rect": "boxcar", "rectangular": "boxcar", "hanning": "hann", "bart": "bartlett"}


def _window(name: str, size: int, periodic: bool) -> np.ndarray:
    name = _WINDOW_ALIASES.get(name, name)
    if size == 1:
        return np.ones(1)
    steps = size if periodic else size - 1
    n = np.arange(size)
    if name in _COSINE_SUMS:
        terms = enumerate(_COSINE_SUMS[name])
        return sum((-1) ** k * a * np.cos(2 * np.pi * k * n / steps) for k, a in terms)
    if name == "bartlett":
        return 1 - np.abs(2 * n / steps - 1)
    # "cosine": half a sine wave, sampled in the middle of the steps
    return np.sin(np.pi * (n + 0.5) / (steps + 1))


_WINDOWS = (*_COSINE_SUMS, "bartlett", "cosine")


@public("keras.initializers.STFT", "keras.initializers.STFTInitializer", "keras.initializers.stft")
class STFT(Initializer):
    """One side of the short-time Fourier transform as a Conv1D kernel `(frame_length, 1, bins)`.

    The transform has `2 * (bins - 1)` points. Real side: `window * cos(angle)`; imaginary: `-window *
    sin(angle)`.

    Args:
        side: "real" or "imag".
        window: name of a window, or None for none.
        scaling: divide by the root of the window's energy ("density") or by its sum ("spectrum"), or not
            (None). Has an effect only with a window.
        periodic: whether the window is one period of a periodic function rather than symmetric.

    Raises:
        ValueError: for an unknown side, window or scaling, and when the shape has not three dimensions.
    """

    def __init__(
        self, side: str = "real", window: str | None = "hann", scaling: str | None = "density", periodic: bool = False
    ) -> None:
        if side not in ("real", "imag"):
            raise ValueError(f"side must be 'real' or 'imag', not {side!r}.")
        if window is not None and _WINDOW_ALIASES.get(window, window) not in _WINDOWS:
            raise ValueError(f"Unknown window {window!r}. Choose one of: {', '.join(_WINDOWS)}; or None.")
        if scaling not in ("density", "spectrum", None):
            raise ValueError(f"scaling must be 'density', 'spectrum' or None, not {scaling!r}.")
        self.side = side
        self.window = window
        self.scaling = scaling
        self.periodic = periodic

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        shape = sizes(shape)
        if len(shape) != 3:
            raise ValueError(f"STFT initializes Conv1D kernels (frame_length, channels, bins), not shape {shape}.")
        frame, _, bins = shape
        n = np.arange(frame)[:, None, None]
        angle = 2 * np.pi * n * np.arange(bins) / max(2 * (bins - 1), 1)
        values = np.cos(angle) if self.side == "real" else -np.sin(angle)
        if self.window is not None:
            window = _window(self.window, frame, self.periodic)
            if self.scaling == "density":
                window = window / np.sqrt(np.sum(window**2))
            elif self.scaling == "spectrum":
                window = window / np.sum(window)
            values = values * window[:, None, None]
        return to_native(np.broadcast_to(values, shape).astype("float32"), dtype)

    def get_config(self) -> dict[str, Any]:
        return {"side": self.side, "window": self.window, "periodic": self.periodic, "scaling": self.scaling}
