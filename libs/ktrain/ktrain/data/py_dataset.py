"""`PyDataset`: batches by number, computed by threads or processes ahead of their use."""

from __future__ import annotations

import collections
import concurrent.futures
import multiprocessing
import warnings
from typing import Any, Iterator

import numpy as np

from kspec import public
from ktrain.data.stream_adapter import standardize_batch


@public("keras.utils.PyDataset")
class PyDataset:
    """Base class: implement `__getitem__(index)`, which returns one batch, and `__len__`, the number of batches.

    Args:
        workers: how many batches are computed at the same time.
        use_multiprocessing: by processes instead of threads; the dataset must then be picklable.
        max_queue_size: how many batches are computed ahead.

    Example:
        >>> class Squares(keras.utils.PyDataset):
        ...     def __len__(self):
        ...         return 10
        ...     def __getitem__(self, index):
        ...         x = np.arange(4.0)[:, None] + index
        ...         return x, x**2
    """

    def __init__(self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10) -> None:
        self._workers = workers
        self._use_multiprocessing = use_multiprocessing
        self._max_queue_size = max_queue_size

    def _option(self, name: str, default: Any) -> Any:
        if name not in self.__dict__:
            warnings.warn(
                f"{type(self).__name__}.__init__ does not call super().__init__(**kwargs): workers, "
                "use_multiprocessing and max_queue_size have no effect.",
                stacklevel=3,
            )
            self.__dict__[name] = default
        return self.__dict__[name]

    @property
    def workers(self) -> int:
        """How many batches are computed at the same time."""
        return self._option("_workers", 1)

    @workers.setter
    def workers(self, value: int) -> None:
        self._workers = value

    @property
    def use_multiprocessing(self) -> bool:
        """Whether processes compute the batches instead of threads."""
        return self._option("_use_multiprocessing", False)

    @use_multiprocessing.setter
    def use_multiprocessing(self, value: bool) -> None:
        self._use_multiprocessing = value

    @property
    def max_queue_size(self) -> int:
        """How many batches are computed ahead."""
        return self._option("_max_queue_size", 10)

    @max_queue_size.setter
    def max_queue_size(self, value: int) -> None:
        self._max_queue_size = value

    def __getitem__(self, index: int) -> Any:
        """The batch with a number: `(x, y)` or `(x, y, sample_weight)`; to be implemented."""
        raise NotImplementedError(f"{type(self).__name__} must implement __getitem__(index).")

    def __iter__(self) -> Iterator[Any]:
        """All batches in order, once or for ever."""
        index, count = 0, self.num_batches
        while count is None or index < count:
            yield self[index]
            index += 1

    @property
    def num_batches(self) -> int | None:
        """The number of batches; None for an infinite dataset."""
        if hasattr(self, "__len__"):
            return len(self)
        raise NotImplementedError(f"{type(self).__name__} must implement __len__ or the property num_batches.")

    def on_epoch_begin(self) -> None:
        """Called before each epoch."""

    def on_epoch_end(self) -> None:
        """Called after each epoch."""


_dataset: Any = None


def _hold(dataset: Any) -> None:
    global _dataset
    _dataset = dataset


def _item(index: int) -> Any:
    return _dataset[index]


class PyDatasetAdapter:
    """A `PyDataset` as batches, in order whoever computes them.

    Args:
        dataset: the dataset.
        class_weight: class numbers to weights.
        shuffle: the batches in another order each epoch.
    """

    def __init__(self, dataset: PyDataset, class_weight: dict[int, float] | None = None, shuffle: Any = False) -> None:
        self.dataset = dataset
        self.class_weight = class_weight
        count = dataset.num_batches
        self.num_batches = None if count is None or count == float("inf") else int(count)
        if self.num_batches == 0:
            raise ValueError(f"{type(dataset).__name__} has no batches: its length is 0.")
        self.batch_size = None
        self.shuffle = shuffle
        self._pool: Any = None

    def _indices(self) -> Iterator[int]:
        if self.num_batches is None:
            index = 0
            while True:
                yield index
                index += 1
        order = np.arange(self.num_batches)
        if self.shuffle:
            np.random.shuffle(order)
        yield from (int(i) for i in order)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        dataset = self.dataset
        workers, processes = dataset.workers, dataset.use_multiprocessing
        ahead = workers > 1 or (workers > 0 and processes)
        batches = self._ahead(workers, processes) if ahead else (dataset[i] for i in self._indices())
        for data in batches:
            if data is not None:
                yield standardize_batch(data, self.class_weight)

    def _ahead(self, workers: int, processes: bool) -> Iterator[Any]:
        """Batches computed by workers, in order; a worker's exception is raised here, with its own traceback."""
        pool = self._open(workers, processes)
        call = _item if processes else self.dataset.__getitem__
        waiting: collections.deque[Any] = collections.deque()
        try:
            for index in self._indices():
                waiting.append(pool.submit(call, index))
                if len(waiting) >= max(self.dataset.max_queue_size, 1):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
            if not processes or self._changes_between_epochs():
                self.close()

    def _open(self, workers: int, processes: bool) -> Any:
        if self._pool is None:
            if processes:
                # A fresh interpreter: a fork of a process with running engine threads may deadlock.
                self._pool = concurrent.futures.ProcessPoolExecutor(
                    workers, multiprocessing.get_context("spawn"), _hold, (self.dataset,)
                )
            else:
                self._pool = concurrent.futures.ThreadPoolExecutor(workers, "PyDataset")
        return self._pool

    def _changes_between_epochs(self) -> bool:
        kind = type(self.dataset)
        return kind.on_epoch_begin is not PyDataset.on_epoch_begin or kind.on_epoch_end is not PyDataset.on_epoch_end

    def close(self) -> None:
        """Stop the workers."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)

    def on_epoch_begin(self) -> None:
        """Tell the dataset."""
        self.dataset.on_epoch_begin()

    def on_epoch_end(self) -> None:
        """Tell the dataset."""
        self.dataset.on_epoch_end()
