"""Elementwise ops of complex numbers."""

from __future__ import annotations

from typing import Any

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite, primitive


def _pairs(x: Any) -> shapes.Shape:
    return (*x.shape, 2)


def _unpaired(x: Any) -> shapes.Shape:
    if not len(x.shape) or x.shape[-1] not in (2, None):
        raise ValueError(f"the last dimension holds real and imaginary part, so it must be 2; got shape {x.shape}.")
    return x.shape[:-1]


@primitive("numpy", dtype=promote.part, shape=shapes.same)
def real(x: Tensor) -> Any:
    """Real part.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`; float if `x` is complex, else `x` itself.
    """


@primitive("numpy", dtype=promote.part, shape=shapes.same)
def imag(x: Tensor) -> Any:
    """Imaginary part; 0 for real numbers.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape of `x`; float if `x` is complex, else of the dtype of `x`.
    """


@primitive("numpy", "keras.ops.conj", "keras.ops.numpy.conj", dtype=promote.common, shape=shapes.same)
def conjugate(x: Tensor) -> Any:
    """Complex conjugate; real numbers as they are.

    Args:
        x: a tensor of any shape.

    Returns:
        A tensor of the shape and dtype of `x`.
    """


@primitive("numpy", dtype=promote.real_inexact, shape=shapes.same)
def angle(x: Tensor) -> Any:
    """Angle of complex numbers in the plane, in radians; of real numbers 0 or pi.

    Args:
        x: a tensor of any shape.

    Returns:
        A float tensor of the shape of `x`.
    """


@composite("numpy", dtype=promote.predicate, shape=shapes.same)
def isreal(x: Tensor) -> Any:
    """Whether the imaginary part is 0.

    Args:
        x: a tensor of any shape.

    Returns:
        A bool tensor of the shape of `x`.
    """
    return kops.equal(imag(x), 0)


@composite("nn", dtype=promote.complex_of, shape=shapes.broadcast)
def polar(abs_: Tensor, angle: Tensor) -> Any:
    """Complex numbers from magnitudes and angles: `abs_ * exp(1j * angle)`.

    Args:
        abs_, angle: real tensors that broadcast against each other; angles in radians.

    Returns:
        The broadcast complex tensor.
    """
    parts = [kops.multiply(abs_, kops.cos(angle)), kops.multiply(abs_, kops.sin(angle))]

    return view_as_complex(kops.stack(parts, axis=-1))


@primitive("keras.ops.view_as_real", dtype=promote.real_inexact, shape=_pairs, node="math:")
def view_as_real(x: Tensor) -> Any:
    """Complex numbers as pairs of real and imaginary part.

    Args:
        x: a tensor `(...)`; real numbers get the imaginary part 0.

    Returns:
        A float tensor `(..., 2)`.
    """


@primitive("keras.ops.view_as_complex", dtype=promote.complex_of, shape=_unpaired, node="math:")
def view_as_complex(x: Tensor) -> Any:
    """Complex numbers from pairs of real and imaginary part.

    Args:
        x: a real tensor `(..., 2)`.

    Returns:
        A complex tensor `(...)`.

    Raises:
        ValueError: when the last dimension is not 2.
    """
