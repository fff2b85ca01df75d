"""The base of preprocessing layers, which also work outside of a model, in any data pipeline."""

from __future__ import annotations

from typing import Any

from klayers.layer import Layer
from kops.engine import engine
from kops.random import SeedGenerator


class DataLayer(Layer):
    """A layer of a data pipeline: takes arrays or tensors, and is not trained."""

    def __call__(self, inputs: Any, **kwargs: Any) -> Any:
        return super().__call__(inputs, **kwargs)

    def convert_weight(self, weight: Any) -> Any:
        """A weight or constant as a tensor of the engine."""
        return engine().convert(weight, None)

    def _make_generator(self, seed: Any) -> None:
        self.seed = seed
        self.generator = SeedGenerator(seed)
