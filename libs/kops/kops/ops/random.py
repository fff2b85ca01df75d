"""Random bits and integers, from which `kops.random` makes all distributions, and random functions of a tensor."""

from __future__ import annotations

import math
from typing import Any

import kops
from kops import promote, shapes
from kops.declare import Tensor, composite, primitive
from kops.dtypes import standardize_dtype
from kops.random_hash import LIMIT
from kops.shapes import Shape


def _drawn(seed: Any, shape: Any) -> Shape:
    shape = shapes.standardize_shape(shape)
    if None not in shape and math.prod(shape) > LIMIT:
        raise ValueError(f"a random tensor has at most 2**31 elements; shape {shape} has {math.prod(shape)}.")
    return shape


@primitive(dtype=promote.fixed("int32"), shape=_drawn)
def random_bits(seed: Tensor, shape: Any) -> Any:
    """32 random bits per element as int32; see `kops.random_hash` for the algorithm.

    Args:
        seed: two integers.
        shape: of the result; may hold scalar tensors where the engine knows a size only at run time.
    """


def _below(*ds: Any, dtype: Any) -> Any:
    return (None, "uint32"), standardize_dtype(dtype)


@primitive(dtype=_below, shape=lambda seed, span, shape, dtype: _drawn(seed, shape))
def random_below(seed: Tensor, span: Tensor, shape: Any, dtype: Any) -> Any:
    """Integers in [0, span), each with a probability within 2**-30 of 1 / span relative to it.

    Args:
        seed: two integers.
        span: how many different integers, up to 2**32 - 1; broadcasts to `shape`.
        shape: of the result.
        dtype: integer dtype; numbers beyond its range wrap around.
    """


@primitive(dtype=promote.kept, shape=lambda seed: [(2,), (2,)])
def advance_seed(seed: Tensor) -> Any:
    """A snapshot of the seed, and the seed that follows it."""


def _rate(rate: Any) -> float:
    if not 0 <= rate <= 1:
        raise ValueError(f"rate is the fraction to drop, in [0, 1]; got {rate}.")
    return float(rate)


def _float(d: Any, **static: Any) -> Any:
    name = promote.natural(d)
    if not name.startswith(("float", "bfloat")):
        raise ValueError(f"dropout needs floats, not {name}: what is kept is scaled.")
    return name, name


def _dropped(inputs: Any, rate: Any, noise_shape: Any = None, seed: Any = None) -> Shape:
    _rate(rate)
    if noise_shape is not None:
        _noise(inputs.shape, noise_shape)
    return tuple(inputs.shape)


def _noise(shape: Any, noise_shape: Any) -> tuple[Any, ...]:
    noise = tuple(noise_shape)
    if len(noise) != len(shape):
        raise ValueError(f"noise_shape {noise} must have an entry for each of the {len(shape)} dimensions.")
    noise = tuple(have if given is None else given for have, given in zip(shape, noise))
    for have, given in zip(shape, noise):
        if isinstance(have, int) and isinstance(given, int) and given not in (1, have):
            raise ValueError(f"noise_shape {noise} must broadcast to the inputs' shape {tuple(shape)}.")
    return noise


@composite("keras.random.dropout", dtype=_float, shape=_dropped)
def dropout(inputs: Tensor, rate: Any, noise_shape: Any = None, seed: Any = None) -> Any:
    """Zero a random fraction of the elements and scale the others so that the expected sum stays.

    Args:
        inputs: float tensor.
        rate: fraction to zero, in [0, 1].
        noise_shape: shape of the pattern, broadcast over the inputs: 1 where elements are dropped together, None for
            the inputs' own size.
        seed: an integer, a `SeedGenerator`, or None for the global generator.

    Returns:
        A tensor like `inputs`.

    Example:
        >>> dropout(ops.ones((2, 3)), 0.5, noise_shape=(None, 1), seed=1)  # whole rows
    """
    from kops.seeding import draw_seed

    rate = _rate(rate)
    if rate == 0:
        return inputs
    sizes = kops.shape(inputs)
    key = draw_seed(seed)
    if rate == 1:
        return kops.multiply(inputs, 0.0)
    bits = random_bits(key, sizes if noise_shape is None else _noise(sizes, noise_shape))
    # As signed integers the bits are uniform over [-2**31, 2**31).
    kept = kops.greater_equal(bits, round(rate * 2**32) - 2**31)
    return kops.where(kept, kops.multiply(inputs, 1 / (1 - rate)), 0.0)


@composite("keras.random.shuffle", dtype=promote.first, shape=shapes.along)
def shuffle(x: Tensor, axis: int = 0, seed: Any = None) -> Any:
    """The slices along an axis in random order.

    Args:
        x: tensor.
        axis: the axis along which they are permuted.
        seed: an integer, a `SeedGenerator`, or None for the global generator.

    Returns:
        A tensor like `x`.
    """
    from kops.seeding import draw_seed

    order = kops.argsort(random_bits(draw_seed(seed), (kops.shape(x)[axis],)))
    return kops.take(x, order, axis=axis)


def _picked(logits: Any, num_samples: int, dtype: Any = "int32", seed: Any = None) -> Shape:
    if len(logits.shape) != 2:
        raise ValueError(f"logits must have shape (batch, classes), not {tuple(logits.shape)}.")
    return logits.shape[0], num_samples


def _classes(d: Any, *, dtype: Any = "int32", **static: Any) -> Any:
    name = standardize_dtype(dtype)
    if "int" not in name:
        raise ValueError(f"dtype must be an integer dtype, not {name}.")
    return promote.inexact(d)[0], name


@composite("keras.random.categorical", dtype=_classes, shape=_picked, checked=True)
def categorical(logits: Tensor, num_samples: int, dtype: Any = "int32", seed: Any = None) -> Any:
    """Class numbers, drawn with the probabilities `softmax(logits)`.

    The class with the largest `logit - log(-log(u))`, `u` uniform, has just these probabilities (Gumbel, 1954).

    Args:
        logits: unnormalized log-probabilities, `(batch, classes)`.
        num_samples: draws per row.
        dtype: integer dtype of the result.
        seed: an integer, a `SeedGenerator`, or None for the global generator.

    Returns:
        Class numbers, `(batch, num_samples)`.
    """
    from kops.random import open_unit

    rows, classes = kops.shape(logits)
    u = open_unit((rows, num_samples, classes), "float32", seed)
    noise = kops.negative(kops.log(kops.negative(kops.log(u))))
    return kops.argmax(kops.add(kops.expand_dims(logits, 1), noise), axis=-1)
