"""Batches that somebody else makes: generators, tf.data, torch DataLoaders, Grain, any iterable."""

from __future__ import annotations

import itertools
from typing import Any, Iterator

import numpy as np

from kops import tree
from kops.config import settings
from ktrain.data.arrays import module_of, to_floatx
from ktrain.data.class_weight import sample_weights_of
from ktrain.data.packing import unpack_x_y_sample_weight


def _leaf(x: Any) -> Any:
    """A batch's array: engine tensors stay, everything else becomes a host array."""
    if type(x) is np.ndarray:
        return to_floatx(x)
    if x is None:
        return None
    package = module_of(x)
    if package == "torch":
        if settings.backend == "torch":
            return x.to(_floatx()) if x.is_floating_point() and x.dtype != _floatx() else x
        return to_floatx(x.detach().cpu().numpy())
    if package == "tensorflow" and hasattr(x, "to_tensor"):
        x = x.to_tensor()
    if settings.backend in (package, "tensorflow") and package in ("tensorflow", "jax", "jaxlib"):
        return x
    if hasattr(x, "toarray"):
        x = x.toarray()
    return to_floatx(np.asarray(x))


def _floatx() -> Any:
    from kops.engine import engine

    return engine().native_dtype(settings.floatx)


def _is_array_list(x: Any) -> bool:
    return isinstance(x, list) and bool(x) and isinstance(x[0], (int, float, bool, np.generic))


def standardize_batch(data: Any, class_weight: dict[int, float] | None = None) -> tuple[Any, ...]:
    """One batch from outside as a tuple of structures of arrays."""
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        data = (data,)
    if class_weight is not None:
        x, y, weight = unpack_x_y_sample_weight(data)
        if weight is not None:
            raise ValueError("Give either class_weight or weights in the batches, not both.")
        data = (x, y, sample_weights_of(tree.map_structure(np.asarray, y), class_weight))
    return tuple(
        _leaf(part) if type(part) is np.ndarray or not tree.is_nested(part) or _is_array_list(part)
        else tree.map_structure(_leaf, part)
        for part in data
    )  # fmt: skip


class StreamAdapter:
    """An iterable of batches.

    Args:
        source: the iterable.
        num_batches: how many it gives; None when that is unknown or infinite.
        repeats: whether it can be iterated anew; a generator cannot.
        class_weight: class numbers to weights.
    """

    def __init__(
        self, source: Any, num_batches: int | None = None, repeats: bool = True,
        class_weight: dict[int, float] | None = None,
    ) -> None:  # fmt: skip
        self.source = source
        self.num_batches = num_batches
        self.batch_size = None
        self.repeats = repeats
        self.class_weight = class_weight
        self._iterator: Any = None if repeats else iter(source)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        source = iter(self.source) if self.repeats else self._iterator
        if self.repeats and module_of(self.source) == "tensorflow" and settings.backend != "tensorflow":
            source = self.source.as_numpy_iterator() if _is_dense(self.source) else source
        class_weight = self.class_weight
        for data in source:
            yield standardize_batch(data, class_weight)

    def on_epoch_begin(self) -> None:
        """Nothing to prepare."""

    def on_epoch_end(self) -> None:
        """Nothing to clean up."""


def _is_dense(dataset: Any) -> bool:
    return all(type(s).__name__ == "TensorSpec" for s in tree.flatten(dataset.element_spec))


class GeneratorAdapter(StreamAdapter):
    """A generator: it goes on where the last epoch stopped."""

    def __init__(self, generator: Any, class_weight: dict[int, float] | None = None) -> None:
        iterator = iter(generator)
        first = next(iterator, None)
        if first is None:
            raise ValueError("The generator gave no batch: it is empty, or was used up before.")
        super().__init__(itertools.chain([first], iterator), repeats=False, class_weight=class_weight)


def sized(source: Any) -> int | None:
    """`len(source)` where it has one."""
    try:
        return len(source)
    except (TypeError, NotImplementedError):
        return None


def tf_dataset_size(dataset: Any) -> int | None:
    """The number of batches of a tf.data.Dataset; None when unknown or infinite."""
    size = int(dataset.cardinality())
    return size if size >= 0 else None
