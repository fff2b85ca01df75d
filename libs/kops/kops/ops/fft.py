"""Fourier transforms. Complex numbers are pairs `(real, imaginary)` of real tensors."""

from __future__ import annotations

from typing import Any

from kops import promote
from kops.declare import Tensor, Tensors, primitive
from kops.shapes import Shape, agree


def computed(*ds: Any, **static: Any) -> tuple[str, str]:
    compute, result = promote.wide(*ds)  # no engine transforms half floats
    if result.startswith("complex"):
        raise TypeError("complex numbers are given as a pair (real, imaginary) of real tensors.")
    return compute, result


def pair_dtypes(*ds: Any, **static: Any) -> Any:
    compute, result = computed(*ds)
    return compute, (result, result)


def pair_shape(x: Any, ndim: int = 1) -> Shape:
    if len(x) != 2:
        raise ValueError(f"x is a pair (real, imaginary) of tensors; got {len(x)} of them.")
    real, imaginary = (tuple(p.shape) for p in x)
    if not agree(real, imaginary):
        raise ValueError(f"real and imaginary part need one shape; got {real} and {imaginary}.")
    if len(real) < ndim:
        raise ValueError(f"at least {ndim} dimensions are needed; got shape {real}.")
    return tuple(a if a is not None else b for a, b in zip(real, imaginary))


@primitive("keras.ops.fft", dtype=pair_dtypes, shape=lambda x: [pair_shape(x)] * 2, node="FFT", checked=True)
def fft(x: Tensors) -> Any:
    """Discrete Fourier transform along the last axis.

    Args:
        x: pair `(real, imaginary)` of tensors of shape `(..., n)`.

    Returns:
        A pair of tensors of the same shape.
    """


@primitive("keras.ops.fft2", dtype=pair_dtypes, shape=lambda x: [pair_shape(x, 2)] * 2, node="FFT2", checked=True)
def fft2(x: Tensors) -> Any:
    """Discrete Fourier transform along the last two axes.

    Args:
        x: pair `(real, imaginary)` of tensors of shape `(..., n, m)`.
    """


@primitive("keras.ops.ifft2", dtype=pair_dtypes, shape=lambda x: [pair_shape(x, 2)] * 2, node="IFFT2", checked=True)
def ifft2(x: Tensors) -> Any:
    """Inverse of `fft2`.

    Args:
        x: pair `(real, imaginary)` of tensors of shape `(..., n, m)`.
    """


def _check_length(fft_length: Any) -> None:
    if fft_length is not None and fft_length < 1:
        raise ValueError(f"fft_length is positive; got {fft_length}.")


def _rfft_shapes(x: Any, fft_length: int | None = None) -> list[Shape]:
    _check_length(fft_length)
    if not len(x.shape):
        raise ValueError("at least one dimension is needed.")
    n = x.shape[-1] if fft_length is None else fft_length
    if x.shape[-1] == 0:
        raise ValueError("at least one number is needed.")
    return [(*x.shape[:-1], None if n is None else n // 2 + 1)] * 2


@primitive("keras.ops.rfft", dtype=pair_dtypes, shape=_rfft_shapes, node="RFFT", checked=True)
def rfft(x: Tensor, fft_length: int | None = None) -> Any:
    """Discrete Fourier transform of real numbers along the last axis: the half that tells all.

    Args:
        x: shape `(..., n)`.
        fft_length: cut or fill up with zeros to this length first.

    Returns:
        A pair `(real, imaginary)` of shape `(..., fft_length // 2 + 1)`.
    """


def _irfft_shape(x: Any, fft_length: int | None = None) -> Shape:
    _check_length(fft_length)
    shape = pair_shape(x)
    if shape[-1] == 0:
        raise ValueError("at least one frequency is needed.")
    n = (None if shape[-1] is None else 2 * (shape[-1] - 1)) if fft_length is None else fft_length
    return (*shape[:-1], n)


@primitive("keras.ops.irfft", dtype=computed, shape=_irfft_shape, node="IRFFT", checked=True)
def irfft(x: Tensors, fft_length: int | None = None) -> Any:
    """Inverse of `rfft`.

    Args:
        x: pair `(real, imaginary)` of tensors of shape `(..., n)`.
        fft_length: length of the result, `2 * (n - 1)` by default.
    """
