"""Discretization."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
import ksave
from klayers.category_codes import check_mode, encode, encoded_shape, refuse_sparse
from klayers.host_arrays import batches
from klayers.layers.data_layer import DataLayer
from klayers.layers.settings import config_of, positive_int
from kops.keras_tensor import KerasTensor
from kspec import public


@public("keras.layers.Discretization")
class Discretization(DataLayer):
    """Numbers as the index of the bin they fall into.

    Args:
        bin_boundaries: ascending; n boundaries make n + 1 bins, each with its lower boundary.
        num_bins: instead of boundaries: `adapt(data)` finds those of bins with equally many samples.
        epsilon: how exact, as a share of the samples, the boundaries must be that come from more data than are kept.
        output_mode: "int", "one_hot", "multi_hot" or "count", see `CategoryEncoding`.
        sparse: not supported.
        dtype, name: as of any layer.

    Returns:
        Integers of the inputs' shape; or floats, see `CategoryEncoding`.

    Example:
        >>> Discretization([0.0, 1.0])(np.array([-1.0, 0.0, 5.0]))
        [0, 1, 2]
    """

    def __init__(
        self,
        bin_boundaries: Any = None,
        num_bins: int | None = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        sparse: bool = False,
        dtype: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if bin_boundaries is None and num_bins is None:
            raise ValueError("Discretization needs bin_boundaries, or num_bins and adapt().")
        if num_bins is not None:
            num_bins = positive_int(num_bins, "num_bins")
        if bin_boundaries is not None and num_bins is not None and len(bin_boundaries) != num_bins - 1:
            raise ValueError(f"{num_bins} bins have {num_bins - 1} boundaries, not {len(bin_boundaries)}.")
        if bin_boundaries is not None and list(bin_boundaries) != sorted(bin_boundaries):
            raise ValueError(f"bin_boundaries must ascend, not {bin_boundaries!r}.")
        self.bin_boundaries = None if bin_boundaries is None else [float(b) for b in bin_boundaries]
        self.num_bins = num_bins
        self.epsilon = epsilon
        self.output_mode = check_mode(output_mode, ("int", "one_hot", "multi_hot", "count"))
        self.sparse = refuse_sparse(sparse)
        self.reset_state()

    @property
    def input_dtype(self) -> str:
        return "float32"

    @property
    def output_dtype(self) -> str:
        """The dtype of the outputs: int32 for "int"."""
        return "int32" if self.output_mode == "int" else self.compute_dtype

    def adapt(self, data: Any, steps: int | None = None) -> None:
        """Find the boundaries from data.

        Args:
            data: array, or an iterable of batches.
            steps: how many batches at most.
        """
        if self.num_bins is None:
            raise ValueError("adapt() finds num_bins - 1 boundaries, but this layer was given bin_boundaries.")
        self.reset_state()
        for batch in batches(data, self, steps):
            self.update_state(batch)
        self.finalize_state()

    def reset_state(self) -> None:
        """Forget the data seen so far."""
        self._values, self._weights = np.empty(0), np.empty(0)

    def update_state(self, data: Any) -> None:
        """Take in a batch."""
        values = np.asarray(data, "float64").ravel()
        values = np.concatenate([self._values, values])
        weights = np.concatenate([self._weights, np.ones(len(values) - len(self._values))])
        order = np.argsort(values, kind="stable")
        self._values, self._weights = values[order], weights[order]
        most = max(10_000, int(10 / self.epsilon))
        if len(values) > most:
            # Quantiles of the sample stand for it, each for its share.
            total = self._weights.sum()
            self._values = self._quantiles((np.arange(most // 2) + 0.5) / (most // 2))
            self._weights = np.full(most // 2, total / (most // 2))

    def _quantiles(self, shares: np.ndarray) -> np.ndarray:
        middle = (np.cumsum(self._weights) - self._weights / 2) / self._weights.sum()
        return np.interp(shares, middle, self._values)

    def finalize_state(self) -> None:
        """Boundaries from the data seen."""
        if self.num_bins is None or not len(self._values):
            return
        shares = np.arange(1, self.num_bins) / self.num_bins
        self.bin_boundaries = self._quantiles(shares).astype("float32").tolist()

    def call(self, inputs: Any) -> Any:
        if self.bin_boundaries is None:
            raise ValueError("A Discretization layer needs bin_boundaries: give them, or call adapt(data).")
        ids = kops.digitize(inputs, self.bin_boundaries)
        if self.output_mode == "int":
            return kops.cast(ids, "int32")
        return encode(ids, self.output_mode, len(self.bin_boundaries) + 1, self.compute_dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        depth = self.num_bins if self.bin_boundaries is None else len(self.bin_boundaries) + 1
        return encoded_shape(input_shape, self.output_mode, depth)

    def compute_output_spec(self, inputs: Any) -> Any:
        return KerasTensor(self.compute_output_shape(inputs.shape), dtype=self.output_dtype)

    def load_own_variables(self, store: Any) -> None:
        # The boundaries are in the config.
        return

    def get_config(self) -> dict[str, Any]:
        return {
            **config_of(self, "bin_boundaries", "num_bins", "epsilon", "output_mode", "sparse", "name"),
            "dtype": self.dtype_policy.name,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        with ksave.CustomObjectScope(custom_objects or {}):
            return super().from_config(config)
