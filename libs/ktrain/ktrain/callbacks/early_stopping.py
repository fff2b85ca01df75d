"""Stopping when a metric no longer improves."""

from __future__ import annotations

import sys
from typing import Any

from kspec import public
from ktrain.callbacks.monitor import MonitorCallback


@public("keras.callbacks.EarlyStopping")
class EarlyStopping(MonitorCallback):
    """Ends training after `patience` epochs without improvement.

    Args:
        monitor: the name in the logs.
        min_delta: a smaller change is no improvement.
        patience: how many epochs without improvement are tolerated.
        verbose: 1 prints when it stops.
        mode: "min", "max" or "auto".
        baseline: improvements count from here on.
        restore_best_weights: at the end set the weights to those of the best epoch.
        start_from_epoch: epochs before this one do not count.
    """

    def __init__(
        self, monitor: str = "val_loss", min_delta: float = 0, patience: int = 0, verbose: int = 0, mode: str = "auto",
        baseline: float | None = None, restore_best_weights: bool = False, start_from_epoch: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode, min_delta)
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.restore_best_weights = restore_best_weights
        self.start_from_epoch = start_from_epoch
        self._forget()

    def _forget(self) -> None:
        self.wait = 0
        self.stopped_epoch = 0
        self.best: Any = None
        self.best_epoch = 0
        self.best_weights: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        self._forget()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        value = self.current(logs)
        if value is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            # The first one counts as best until a better one comes, even below the baseline.
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if self.improves(value, self.best):
            self.best, self.best_epoch = value, epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self.improves(value, self.baseline):
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: Any = None) -> None:
        if self.stopped_epoch > 0 and self.verbose > 0:
            sys.stdout.write(f"Epoch {self.stopped_epoch + 1}: early stopping\n")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                sys.stdout.write(f"Restoring the weights of the best epoch: {self.best_epoch + 1}.\n")
            self.model.set_weights(self.best_weights)
