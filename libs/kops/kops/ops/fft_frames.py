"""Overlapping frames of sequences, and their Fourier transforms over time."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import kops
from kops import promote
from kops.declare import Tensor, Tensors, composite, primitive
from kops.engine import engine
from kops.ops.fft import computed, pair_dtypes, pair_shape
from kops.shapes import Shape, standardize_shape


def _frames(x: Any, sequence_length: int, sequence_stride: int) -> Shape:
    if not len(x.shape):
        raise ValueError("at least one dimension is needed.")
    for name, value in (("sequence_length", sequence_length), ("sequence_stride", sequence_stride)):
        if value < 1:
            raise ValueError(f"{name} is positive; got {value}.")
    n = x.shape[-1]
    if n is not None and n < sequence_length:
        raise ValueError(f"a sequence of length {n} has no part of length {sequence_length}.")
    count = None if n is None else 1 + (n - sequence_length) // sequence_stride
    return (*x.shape[:-1], count, sequence_length)


@primitive("keras.ops.extract_sequences", dtype=promote.first, shape=_frames, checked=True)
def extract_sequences(x: Tensor, sequence_length: int, sequence_stride: int) -> Any:
    """Overlapping parts of the last axis.

    Args:
        x: shape `(..., n)`.
        sequence_length: length of a part.
        sequence_stride: from the start of one part to that of the next.

    Returns:
        Shape `(..., parts, sequence_length)` with `parts = 1 + (n - sequence_length) // sequence_stride`.

    Example:
        >>> extract_sequences([1, 2, 3, 4], 2, 1)
        [[1, 2], [2, 3], [3, 4]]
    """


@functools.lru_cache(maxsize=64)
def _values(name: str | None, length: int, fft_length: int) -> np.ndarray:
    if name is None:
        return np.ones(fft_length)  # the whole frame, not only its middle
    turn = 2 * np.pi * np.arange(length) / length
    values = {"hann": 0.5 - 0.5 * np.cos(turn), "hamming": 0.54 - 0.46 * np.cos(turn)}[name]
    return np.pad(values, _around(length, fft_length))


@functools.lru_cache(maxsize=64)
def _positions(count: int, stride: int, fft_length: int) -> np.ndarray:
    return (np.arange(count)[:, None] * stride + np.arange(fft_length)).reshape(-1)


@functools.lru_cache(maxsize=64)
def _weights(name: str | None, length: int, stride: int, fft_length: int, count: int) -> np.ndarray:
    """The sums of the squared windows, and 1 where they are 0."""
    squares = np.tile(_values(name, length, fft_length) ** 2, count)
    sums = np.bincount(_positions(count, stride, fft_length), squares)
    return np.where(sums > 1e-10, sums, 1.0)


_TABLES: dict[str, Any] = {"window": _values, "places": _positions, "weights": _weights}


def _constant(name: str, dtype: str, *args: Any) -> Any:
    return engine().convert(_TABLES[name](*args), dtype)


# torch.compile evaluates this and uses the result as a constant.
_constant._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _around(length: int, fft_length: int) -> tuple[int, int]:
    before = (fft_length - length) // 2
    return before, fft_length - length - before


def window_of(window: Any, length: int, fft_length: int, dtype: str) -> Any:
    """The window's values, centred in `fft_length`."""
    if window is None or isinstance(window, str):
        return _constant("window", dtype, window, length, fft_length)

    if tuple(window.shape) != (length,):
        raise ValueError(f"a window has shape ({length},) like the sequences; got {tuple(window.shape)}.")
    return kops.pad(kops.cast(window, dtype), (_around(length, fft_length),))


def _check_transform(sequence_length: int, sequence_stride: int, fft_length: int, window: Any) -> None:
    if fft_length < sequence_length:
        raise ValueError(f"fft_length {fft_length} is shorter than sequence_length {sequence_length}.")
    if sequence_stride < 1 or sequence_length < 1:
        raise ValueError(f"lengths are positive; got {sequence_length} and stride {sequence_stride}.")
    if isinstance(window, str) and window not in ("hann", "hamming"):
        raise ValueError(f"window is 'hann', 'hamming', None or a tensor; got {window!r}.")
    if window is not None and not isinstance(window, (str, list, tuple)) and not hasattr(window, "shape"):
        raise TypeError(f"window is 'hann', 'hamming', None or a tensor; got {window!r}.")


def _stft_shapes(
    x: Any, sequence_length: int, sequence_stride: int, fft_length: int, window: Any, center: bool
) -> list[Shape]:
    _check_transform(sequence_length, sequence_stride, fft_length, window)
    if not len(x.shape):
        raise ValueError("at least one dimension is needed.")
    n = x.shape[-1]
    if n is not None:
        n += 2 * (fft_length // 2) if center else 0
        if n < fft_length or not x.shape[-1]:
            raise ValueError(f"a sequence of length {x.shape[-1]} has no frame of length {fft_length}.")
    count = None if n is None else 1 + (n - fft_length) // sequence_stride
    return [(*x.shape[:-1], count, fft_length // 2 + 1)] * 2


@composite("keras.ops.stft", dtype=pair_dtypes, shape=_stft_shapes, node="STFT", checked=True)
def stft(
    x: Tensor, sequence_length: int, sequence_stride: int, fft_length: int, window: Any = "hann", center: bool = True
) -> Any:
    """Short-time Fourier transform: `rfft` of overlapping windowed frames.

    Args:
        x: shape `(..., n)`.
        sequence_length: length of the window.
        sequence_stride: from one frame to the next.
        fft_length: length of a frame; the window stands in its middle.
        window: `"hann"`, `"hamming"`, None (the whole frame as it is), or a tensor of shape `(sequence_length,)`.
        center: mirror half a frame at both ends, so that frame `t` is centred at `t * sequence_stride`.

    Returns:
        A pair `(real, imaginary)` of shape `(..., frames, fft_length // 2 + 1)`.
    """
    ndim = len(x.shape)  # type: ignore[attr-defined]
    if center:
        half = fft_length // 2
        x = kops.pad(x, ((0, 0),) * (ndim - 1) + ((half, half),), mode="reflect")
    values = window_of(window, sequence_length, fft_length, kops.standardize_dtype(x.dtype))  # type: ignore[attr-defined]
    frames = kops.multiply(extract_sequences(x, fft_length, sequence_stride), values)
    return kops.rfft(frames, fft_length)


def _istft_shape(
    x: Any, sequence_length: int, sequence_stride: int, fft_length: int, length: int | None, window: Any, center: bool
) -> Shape:
    _check_transform(sequence_length, sequence_stride, fft_length, window)
    shape = pair_shape(x, 2)
    if 0 in shape[-2:]:
        raise ValueError(f"at least one frame and one frequency are needed; got shape {shape}.")
    if length is not None:
        return standardize_shape((*shape[:-2], length))
    if shape[-2] is None:
        return (*shape[:-2], None)
    total = fft_length + sequence_stride * (shape[-2] - 1)
    return (*shape[:-2], max(total - (2 * (fft_length // 2) if center else 0), 0))


@composite("keras.ops.istft", dtype=computed, shape=_istft_shape, node="ISTFT", checked=True)
def istft(
    x: Tensors,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    length: int | None = None,
    window: Any = "hann",
    center: bool = True,
) -> Any:
    """Inverse of `stft`, by windowed overlap-add divided by the sum of squared windows.

    Args:
        x: pair `(real, imaginary)` of shape `(..., frames, fft_length // 2 + 1)`; the number of frames must be known.
        sequence_length, sequence_stride, fft_length, window, center: as given to `stft`.
        length: cut or fill up with zeros to this length.

    Returns:
        Shape `(..., n)`.
    """
    frames = kops.irfft(x, fft_length)
    count = frames.shape[-2]
    if count is None:
        raise ValueError("istft needs to know the number of frames.")
    dtype = kops.standardize_dtype(frames.dtype)
    values = window_of(window, sequence_length, fft_length, dtype)
    total = fft_length + sequence_stride * (count - 1)
    places = _constant("places", "int32", count, sequence_stride, fft_length)

    def overlap_add(parts: Any) -> Any:
        lead = tuple(kops.shape(parts))[:-2]
        rows = kops.moveaxis(kops.reshape(parts, (*lead, count * fft_length)), -1, 0)
        return kops.moveaxis(kops.segment_sum(rows, places, total), 0, -1)

    # Also without a window: Keras 3.15 then leaves out the division, and its result is no inverse.
    if window is None or isinstance(window, str):
        weights = _constant("weights", dtype, window, sequence_length, sequence_stride, fft_length, count)
    else:
        sums = overlap_add(kops.broadcast_to(kops.square(values), (count, fft_length)))
        weights = kops.where(kops.greater(sums, 1e-10), sums, 1.0)
    y = kops.divide(overlap_add(kops.multiply(frames, values)), weights)
    start = fft_length // 2 if center else 0
    end = total - start
    if length is not None:
        end = start + length
        if end > total:
            y = kops.pad(y, ((0, 0),) * (len(y.shape) - 1) + ((0, end - total),))
    return kops.get_item(y, (Ellipsis, slice(start, end)))
