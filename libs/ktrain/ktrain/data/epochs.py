"""Epochs: how many steps, in groups of `steps_per_execution`, over data of known, unknown or infinite size."""

from __future__ import annotations

import warnings
from typing import Any, Iterator

from kops.config import settings


class EpochIterator:
    """Passes over an adapter's batches.

    Args:
        adapter: the data.
        steps_per_epoch: steps in one epoch; None: until the data ends. Data that is longer goes on in the next epoch.
        steps_per_execution: how many batches are handed over at once.
    """

    def __init__(self, adapter: Any, steps_per_epoch: int | None = None, steps_per_execution: int = 1) -> None:
        if steps_per_epoch is not None and steps_per_epoch < 1:
            raise ValueError(f"steps_per_epoch must be positive, not {steps_per_epoch}.")
        if settings.max_steps_per_epoch is not None:
            limit = settings.max_steps_per_epoch
            steps_per_epoch = limit if steps_per_epoch is None else min(steps_per_epoch, limit)
        self.adapter = adapter
        self.steps_per_epoch = steps_per_epoch
        self.steps_per_execution = steps_per_execution
        self._known = adapter.num_batches
        self._iterator: Any = None

    @property
    def num_batches(self) -> int | None:
        """Steps in one epoch, as far as known."""
        return self._known if self.steps_per_epoch is None else self.steps_per_epoch

    def reset(self) -> None:
        """Start the next epoch at the beginning of the data, as validation does."""
        self._iterator = None

    def __iter__(self) -> Iterator[tuple[int, list[Any]]]:
        """One epoch: pairs (number of steps done after this group, the batches of the group)."""
        self.adapter.on_epoch_begin()
        size, limit = self.steps_per_execution, self.steps_per_epoch
        fresh = self._iterator is None
        iterator = iter(self.adapter) if fresh else self._iterator
        self._iterator = None
        done, ended = 0, False
        group: list[Any] = []
        while limit is None or done + len(group) < limit:
            batch = next(iterator, None)
            if batch is None:
                if limit is None or fresh:
                    ended = True
                    break
                fresh, iterator = True, iter(self.adapter)
                continue
            group.append(batch)
            if len(group) == size:
                done += size
                yield done, group
                group = []
        if group:
            done += len(group)
            yield done, group
        if ended and limit is not None:
            warnings.warn(
                f"The data ended after {done} of {limit} steps. Data that should last for steps_per_epoch * epochs "
                "batches may need .repeat().",
                stacklevel=3,
            )
        if ended and done == 0:
            raise ValueError("The data gave no batch: it is empty, or its iterator was used up before.")
        if ended and limit is None:
            self._known = done
        if not ended:
            self._iterator = iterator
        self.adapter.on_epoch_end()

    def close(self) -> None:
        """Let go of workers and of the position in the data."""
        iterator, self._iterator = self._iterator, None
        if hasattr(iterator, "close"):
            iterator.close()
        if hasattr(self.adapter, "close"):
            self.adapter.close()
