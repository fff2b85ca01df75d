"""Initializers that draw from a distribution.

With an integer seed or without one, an initializer gives the same values at each call; with a
`keras.random.SeedGenerator` other values at each call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from klayers.initializers import draw
from klayers.initializers.base import Initializer, to_native
from ksave import deserialize_keras_object, serialize_keras_object
from kspec import public


class RandomInitializer(Initializer):
    """What the initializers of this module share: the seed."""

    def __init__(self, seed: Any = None) -> None:
        if isinstance(seed, dict):
            seed = deserialize_keras_object(seed)
        if not (seed is None or hasattr(seed, "next") or isinstance(seed, (int, np.integer))):
            raise ValueError(f"seed must be an integer, a keras.random.SeedGenerator or None, not {seed!r}.")
        self._given_seed = seed
        self.seed = draw.default_seed() if seed is None else seed

    def get_config(self) -> dict[str, Any]:
        return {"seed": serialize_keras_object(self._given_seed)}


@public("keras.initializers.RandomNormal", "keras.initializers.random_normal")
class RandomNormal(RandomInitializer):
    """The normal distribution.

    Args:
        mean, stddev: mean and standard deviation.
        seed: an integer, a SeedGenerator, or None to draw one.
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: Any = None) -> None:
        super().__init__(seed)
        self.mean = mean
        self.stddev = stddev

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return to_native(_scaled(draw.normal(shape, self.seed), self.stddev, self.mean), dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "mean": self.mean, "stddev": self.stddev}


@public("keras.initializers.TruncatedNormal", "keras.initializers.truncated_normal")
class TruncatedNormal(RandomInitializer):
    """The normal distribution without what lies two or more standard deviations from the mean.

    Args:
        mean, stddev: mean and standard deviation before truncation.
        seed: an integer, a SeedGenerator, or None to draw one.
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: Any = None) -> None:
        super().__init__(seed)
        self.mean = mean
        self.stddev = stddev

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return to_native(_scaled(draw.truncated_normal(shape, self.seed), self.stddev, self.mean), dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "mean": self.mean, "stddev": self.stddev}


@public("keras.initializers.RandomUniform", "keras.initializers.random_uniform")
class RandomUniform(RandomInitializer):
    """The uniform distribution.

    Args:
        minval, maxval: the range, `maxval` not included.
        seed: an integer, a SeedGenerator, or None to draw one.
    """

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: Any = None) -> None:
        super().__init__(seed)
        self.minval = minval
        self.maxval = maxval

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        values = _scaled(draw.uniform(shape, self.seed), self.maxval - self.minval, self.minval)
        return to_native(values, dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "minval": self.minval, "maxval": self.maxval}


@public("keras.initializers.Orthogonal", "keras.initializers.OrthogonalInitializer", "keras.initializers.orthogonal")
class Orthogonal(RandomInitializer):
    """A random matrix with orthonormal columns (or rows, when there are fewer of them), times `gain`.

    A shape with more dimensions is seen as a matrix whose rows are all dimensions but the last.

    Args:
        gain: factor.
        seed: an integer, a SeedGenerator, or None to draw one.

    Raises:
        ValueError: when the shape has fewer than two dimensions.

    Source: Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear networks",
    2014.
    """

    def __init__(self, gain: float = 1.0, seed: Any = None) -> None:
        super().__init__(seed)
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        shape = draw.sizes(shape)
        if len(shape) < 2:
            raise ValueError(f"Orthogonal initializes tensors of at least 2 dimensions, not of shape {shape}.")
        rows, columns = int(np.prod(shape[:-1])), shape[-1]
        tall = draw.normal((max(rows, columns), min(rows, columns)), self.seed)
        q, r = np.linalg.qr(tall)
        # Without the signs the distribution would not be uniform over orthogonal matrices.
        q *= np.where(np.diag(r) < 0, -1, 1).astype(q.dtype)
        if rows < columns:
            q = q.T
        return to_native(np.ascontiguousarray(self.gain * q, dtype=np.float32).reshape(shape), dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "gain": self.gain}


def _scaled(values: np.ndarray, factor: float, shift: float) -> np.ndarray:
    values *= np.float32(factor)
    if shift:
        values += np.float32(shift)
    return values
