"""GaussianNoise, GaussianDropout, AlphaDropout."""

from __future__ import annotations

import math
from typing import Any

import kops
from klayers.layers.dropout import Dropout, RandomLayer, check_rate
from klayers.layers.settings import config_of
from kops import random
from kspec import public


@public("keras.layers.GaussianNoise")
class GaussianNoise(RandomLayer):
    """Adds normally distributed noise of mean zero in training.

    Args:
        stddev: standard deviation of the noise, from 0 to 1.
        seed: an integer, or None to draw one.
    """

    def __init__(self, stddev: float, seed: Any = None, **kwargs: Any) -> None:
        if isinstance(stddev, bool) or not isinstance(stddev, (int, float)) or not 0 <= stddev <= 1:
            raise ValueError(f"stddev must be a number from 0 to 1, not {stddev!r}.")
        super().__init__(seed, stddev > 0, **kwargs)
        self.stddev = stddev

    def _change(self, inputs: Any) -> Any:
        noise = random.normal(
            kops.shape(inputs), stddev=self.stddev, dtype=self.compute_dtype, seed=self.seed_generator
        )
        return kops.add(inputs, noise)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "stddev", "seed")}


@public("keras.layers.GaussianDropout")
class GaussianDropout(RandomLayer):
    """Multiplies by normally distributed noise of mean one in training.

    Args:
        rate: share as of `Dropout`; the noise has standard deviation `sqrt(rate / (1 - rate))`.
        seed: an integer, or None to draw one.

    Source: Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", 2014.
    """

    def __init__(self, rate: float, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(seed, check_rate(rate) > 0, **kwargs)
        if rate == 1:
            raise ValueError("rate must be less than 1: the noise of GaussianDropout would be infinite.")
        self.rate = rate

    def _change(self, inputs: Any) -> Any:
        deviation = math.sqrt(self.rate / (1 - self.rate))
        noise = random.normal(
            kops.shape(inputs), mean=1.0, stddev=deviation, dtype=self.compute_dtype, seed=self.seed_generator
        )
        return kops.multiply(inputs, noise)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "rate", "seed")}


@public("keras.layers.AlphaDropout")
class AlphaDropout(Dropout):
    """Dropout that keeps mean and variance, for networks with SELU.

    Dropped elements get the value to which SELU tends for very negative inputs; then all are scaled and shifted back
    to mean zero and variance one.

    Args:
        rate: the share that is dropped, from 0 to below 1.
        noise_shape: shape of the random choice, as of `Dropout`.
        seed: an integer, or None to draw one.

    Source: Klambauer et al., "Self-normalizing neural networks", 2017.
    """

    def __init__(self, rate: float, noise_shape: Any = None, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(rate, noise_shape, seed, **kwargs)
        if rate == 1:
            raise ValueError("rate must be less than 1: with nothing kept, there is nothing to scale back.")

    def _change(self, inputs: Any) -> Any:
        low = -1.6732632423543772 * 1.0507009873554805  # SELU's limit
        keep = 1.0 - self.rate
        scale = (keep + keep * self.rate * low**2) ** -0.5
        shape = self._noise_shape(inputs) or kops.shape(inputs)
        kept = kops.cast(kops.greater_equal(random.uniform(shape, seed=self.seed_generator), self.rate), inputs.dtype)
        changed = kops.add(kops.multiply(inputs, kept), kops.multiply(kops.subtract(1.0, kept), low))
        return kops.subtract(kops.multiply(changed, scale), scale * low * self.rate)
