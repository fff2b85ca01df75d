"""Which adapter a kind of data takes. Third-party types are told by their names: nothing is imported for that."""

from __future__ import annotations

import types
from typing import Any

from kops.config import settings
from ktrain.data import stream_adapter
from ktrain.data.array_adapter import ArrayAdapter
from ktrain.data.arrays import module_of
from ktrain.data.py_dataset import PyDataset, PyDatasetAdapter


def _inherits(x: Any, package: str, name: str) -> bool:
    return any(c.__name__ == name and c.__module__.partition(".")[0] == package for c in type(x).__mro__)


def _is_tf_dataset(x: Any) -> bool:
    return _inherits(x, "tensorflow", "DatasetV2") or _inherits(x, "tensorflow", "DistributedDatasetInterface")


def _only_x(kind: str, y: Any, sample_weight: Any, batch_size: Any = None) -> None:
    for name, value in (("y", y), ("sample_weight", sample_weight), ("batch_size", batch_size)):
        if value is not None:
            raise ValueError(
                f"With a {kind}, {name} must not be given: its batches are (x, y[, sample_weight]) already."
            )


def adapt(
    x: Any, y: Any = None, sample_weight: Any = None, batch_size: int | None = None, shuffle: Any = False,
    class_weight: dict[int, float] | None = None,
) -> Any:  # fmt: skip
    """The adapter (kspec.protocols.DataAdapter) of some data.

    Args:
        x: arrays (with `y` and `sample_weight`), or a PyDataset, tf.data.Dataset, torch DataLoader, Grain data set,
            generator or other iterable of batches `(x, y, sample_weight)`.
        batch_size, shuffle, class_weight: see the adapters.

    Raises:
        ValueError: no data, data that nothing is known of, lengths that differ.
    """
    if x is None:
        raise ValueError("There is no data: x is None.")
    if isinstance(x, PyDataset):
        _only_x("PyDataset", y, sample_weight, batch_size)
        return PyDatasetAdapter(x, class_weight, shuffle)
    if _is_tf_dataset(x):
        _only_x("tf.data.Dataset", y, sample_weight)
        size = stream_adapter.tf_dataset_size(x) if hasattr(x, "cardinality") else None
        if size == 0:
            raise ValueError("The tf.data.Dataset has no batches.")
        if settings.backend == "tensorflow":
            x = x.prefetch(-1) if hasattr(x, "prefetch") else x
        return stream_adapter.StreamAdapter(x, size, class_weight=class_weight)
    if _inherits(x, "torch", "DataLoader"):
        _only_x("torch DataLoader", y, sample_weight)
        size = stream_adapter.sized(x)
        if size == 0:
            raise ValueError("The DataLoader has no batches.")
        return stream_adapter.StreamAdapter(x, size, class_weight=class_weight)
    if module_of(x) == "grain":
        _only_x("Grain data set", y, sample_weight)
        return stream_adapter.StreamAdapter(x, stream_adapter.sized(x), class_weight=class_weight)
    if isinstance(x, types.GeneratorType) or (hasattr(x, "__next__") and hasattr(x, "__iter__")):
        _only_x("generator", y, sample_weight)
        return stream_adapter.GeneratorAdapter(x, class_weight)
    return ArrayAdapter(x, y, sample_weight, batch_size, shuffle, class_weight)
