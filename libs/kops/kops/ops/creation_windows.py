"""Window functions of signal processing. They are constants, so NumPy computes them for all engines."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

import kops
from kops.config import settings
from kops.keras_tensor import KerasTensor
from kspec import public


def _window(function: Callable[..., np.ndarray], size: Any, *args: Any) -> Any:
    if isinstance(size, KerasTensor):
        raise TypeError(f"The length of a window must be known; {size!r} has no value.")
    return kops.convert_to_tensor(function(int(kops.convert_to_numpy(size)), *args), settings.floatx)


@public("keras.ops.bartlett", "keras.ops.numpy.bartlett")
def bartlett(x: Any) -> Any:
    """The Bartlett window: a triangle from 0 up to 1 and back to 0.

    Args:
        x: the length, an int.

    Returns:
        A float tensor `(x,)`.
    """
    return _window(np.bartlett, x)


@public("keras.ops.blackman", "keras.ops.numpy.blackman")
def blackman(x: Any) -> Any:
    """The Blackman window: `0.42 - 0.5 cos(2 pi n / (x - 1)) + 0.08 cos(4 pi n / (x - 1))`.

    Args:
        x: the length, an int.

    Returns:
        A float tensor `(x,)`.
    """
    return _window(np.blackman, x)


@public("keras.ops.hamming", "keras.ops.numpy.hamming")
def hamming(x: Any) -> Any:
    """The Hamming window: `0.54 - 0.46 cos(2 pi n / (x - 1))`.

    Args:
        x: the length, an int.

    Returns:
        A float tensor `(x,)`.
    """
    return _window(np.hamming, x)


@public("keras.ops.hanning", "keras.ops.numpy.hanning")
def hanning(x: Any) -> Any:
    """The Hann window: `0.5 - 0.5 cos(2 pi n / (x - 1))`.

    Args:
        x: the length, an int.

    Returns:
        A float tensor `(x,)`.
    """
    return _window(np.hanning, x)


@public("keras.ops.kaiser", "keras.ops.numpy.kaiser")
def kaiser(x: Any, beta: Any) -> Any:
    """The Kaiser window, from the Bessel function `i0`.

    Args:
        x: the length, an int.
        beta: its shape; 0 gives a rectangle, larger numbers narrower windows.

    Returns:
        A float tensor `(x,)`.
    """
    return _window(np.kaiser, x, float(kops.convert_to_numpy(beta)))
