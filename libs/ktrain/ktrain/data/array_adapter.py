"""Batches of arrays in memory."""

from __future__ import annotations

import math
from typing import Any, Iterator

import numpy as np

from kops import tree
from ktrain.data import arrays
from ktrain.data.class_weight import sample_weights_of
from ktrain.data.packing import batch_tuple


class ArrayAdapter:
    """Arrays, or structures of arrays, whose first axis is the samples.

    Args:
        x, y, sample_weight: arrays, lists, pandas objects, sparse matrices, HDF5 datasets, structures of them.
        batch_size: samples in a batch; 32.
        shuffle: True: all samples in another order each epoch; "batch": only the batches; False: as they come.
        class_weight: class numbers to weights.
    """

    def __init__(
        self, x: Any, y: Any = None, sample_weight: Any = None, batch_size: int | None = None, shuffle: Any = False,
        class_weight: dict[int, float] | None = None,
    ) -> None:  # fmt: skip
        x, y = arrays.standardize(x, "x"), arrays.standardize(y, "y")
        sample_weight = arrays.standardize(sample_weight, "sample_weight")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError("Give either class_weight or sample_weight, not both.")
            sample_weight = sample_weights_of(y, class_weight)
        sample_weight = _spread_weights(sample_weight, y)
        self.data = batch_tuple(x, y, sample_weight)
        self.size = arrays.check_lengths({"x": x, "y": y, "sample_weight": sample_weight})
        self.batch_size = 32 if batch_size is None else int(batch_size)
        if self.batch_size < 1:
            raise ValueError(f"batch_size must be positive, not {batch_size}.")
        if shuffle not in (True, False, None, "batch"):
            raise ValueError(f"shuffle is True, False or 'batch', not {shuffle!r}.")
        self.shuffle = shuffle
        self.num_batches = math.ceil(self.size / self.batch_size)
        self._leaves = tree.flatten(self.data)
        # Plain arrays need no structure to be put back together.
        self._flat = len(self._leaves) == len(self.data) and all(
            leaf is part for leaf, part in zip(self._leaves, self.data)
        )

    @property
    def partial_batch_size(self) -> int:
        """The size of the last batch when it is smaller, else 0."""
        return self.size % self.batch_size

    def _pack(self, leaves: list[Any]) -> tuple[Any, ...]:
        return tuple(leaves) if self._flat else tree.pack_sequence_as(self.data, leaves)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        size, step = self.size, self.batch_size
        if self.shuffle is True:
            order = np.random.permutation(size)
            for start in range(0, size, step):
                rows = order[start : start + step]
                yield self._pack([None if a is None else arrays.take_rows(a, rows) for a in self._leaves])
            return
        starts = list(range(0, size, step))
        if self.shuffle == "batch":
            whole = starts[: size // step]
            np.random.shuffle(whole)
            starts[: len(whole)] = whole
        for start in starts:
            stop = min(start + step, size)
            yield self._pack([None if a is None else arrays.take_slice(a, start, stop) for a in self._leaves])

    def on_epoch_begin(self) -> None:
        """Nothing to prepare."""

    def on_epoch_end(self) -> None:
        """Each pass draws its own order."""


def _spread_weights(sample_weight: Any, y: Any) -> Any:
    """One array of weights for several outputs weighs each of them."""
    if sample_weight is None or tree.is_nested(sample_weight) or not tree.is_nested(y):
        return sample_weight
    return tree.map_structure(lambda _: sample_weight, y)


def split(data: Any, fraction: float) -> tuple[Any, Any]:
    """The first part of all arrays and the last `fraction` of them, for `validation_split`.

    Args:
        data: a tuple of structures of arrays (or None).
        fraction: between 0 and 1.
    """
    if not 0 < fraction < 1:
        raise ValueError(f"validation_split must be between 0 and 1, not {fraction}.")
    data = tuple(arrays.standardize(part, name) for part, name in zip(data, ("x", "y", "sample_weight")))
    size = arrays.check_lengths(dict(zip(("x", "y", "sample_weight"), data)))
    at = int(math.floor(size * (1.0 - fraction)))
    if at == 0 or at == size:
        raise ValueError(
            f"validation_split={fraction} of {size} samples leaves none for {'training' if at == 0 else 'validation'}."
        )
    cut = lambda low, high: tuple(
        None if part is None else tree.map_structure(lambda a: None if a is None else a[low:high], part)
        for part in data
    )
    return cut(0, at), cut(at, size)
