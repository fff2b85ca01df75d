"""When callbacks that save the model do so."""

from __future__ import annotations

import sys
from typing import Any

from ktrain.callbacks.monitor import MonitorCallback


class SavingCallback(MonitorCallback):
    """Calls `_save` after each epoch or every so many batches.

    Args:
        monitor, mode: see `MonitorCallback`.
        verbose: 1 prints what it does.
        save_best_only: only when the monitored value is the best so far.
        save_weights_only: the weights instead of the model.
        save_freq: "epoch", or a number of batches.
        initial_value_threshold: improvements count from here on.

    Raises:
        ValueError: `save_freq` is neither.
    """

    def __init__(
        self, monitor: str, mode: str, verbose: int, save_best_only: bool, save_weights_only: bool, save_freq: Any,
        initial_value_threshold: float | None,
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode)
        if save_freq != "epoch" and (not isinstance(save_freq, int) or save_freq < 1):
            raise ValueError(f"save_freq is 'epoch' or a positive number of batches, not {save_freq!r}.")
        self.verbose = verbose
        self.save_best_only = save_best_only
        self.save_weights_only = save_weights_only
        self.save_freq = save_freq
        self.best = initial_value_threshold
        self._unused_hooks = ("on_train_batch_end",) if save_freq == "epoch" else ()
        self._epoch = 0
        self._batches = 0
        self._last_batch = 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._epoch = epoch
        self._last_batch = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.save_freq == "epoch":
            self._save(epoch, None, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        # Several batches may have passed: `steps_per_execution`.
        self._batches += batch + 1 - self._last_batch
        self._last_batch = batch + 1
        if self._batches >= self.save_freq:
            self._batches = 0
            self._save(self._epoch, batch, logs)

    def _save(self, epoch: int, batch: int | None, logs: Any) -> None:
        """Save, or not; `batch` is None after an epoch."""
        raise NotImplementedError

    def _say(self, text: str) -> None:
        if self.verbose:
            sys.stdout.write(text)
