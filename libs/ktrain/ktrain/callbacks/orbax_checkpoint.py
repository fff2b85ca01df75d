"""Checkpoints in the format of Orbax while the model trains."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from kspec import public
from ktrain.callbacks.monitor import MonitorCallback


@public("keras.callbacks.OrbaxCheckpoint")
class OrbaxCheckpoint(MonitorCallback):
    """Saves Orbax checkpoints of the model and its whole training state; needs the package orbax-checkpoint.

    `keras.saving.load_model(directory)` makes the model of the latest checkpoint, and
    `model.load_weights(directory)` reads it into a model that is there. Checkpoints are named after the epoch (from
    0), or after the optimizer's iteration when saving every so many batches.

    Args:
        directory: where the checkpoints go; made when it is not there.
        monitor: the name in the logs that says which checkpoint is best.
        verbose: 1 prints what it does.
        save_best_only: only when the monitored value is the best so far.
        mode: "min", "max" or "auto".
        save_freq: "epoch", or a number of batches.
        initial_value_threshold: improvements count from here on.
        max_to_keep: older checkpoints are deleted; None keeps all.
        save_on_background: training goes on while the files are written.
        save_weights_only: neither the config nor the state of the optimizer and of metrics.

    Raises:
        ImportError: orbax-checkpoint is not installed.
        FileExistsError: while training, when the directory has a checkpoint of that name from another run.

    Example:
        >>> saving = keras.callbacks.OrbaxCheckpoint("run", max_to_keep=3)
        >>> model.fit(x, y, epochs=10, callbacks=[saving])
        >>> model = keras.saving.load_model("run")
    """

    def __init__(
        self, directory: Any, monitor: str = "val_loss", verbose: int = 0, save_best_only: bool = False,
        mode: str = "auto", save_freq: Any = "epoch", initial_value_threshold: float | None = None,
        max_to_keep: int | None = 1, save_on_background: bool = True, save_weights_only: bool = False,
    ) -> None:  # fmt: skip
        from ksave.orbax_checkpoint import Checkpoints

        super().__init__(monitor, mode)
        if save_freq != "epoch" and (not isinstance(save_freq, int) or save_freq < 1):
            raise ValueError(f"save_freq is 'epoch' or a positive number of batches, not {save_freq!r}.")
        if max_to_keep is not None and max_to_keep < 1:
            raise ValueError(f"max_to_keep is a positive number of checkpoints or None, not {max_to_keep!r}.")
        self.directory = os.fspath(directory)
        self.verbose = verbose
        self.save_best_only = save_best_only
        self.save_freq = save_freq
        self.best = initial_value_threshold
        self.max_to_keep = max_to_keep
        self.save_on_background = save_on_background
        self.save_weights_only = save_weights_only
        self._checkpoints = Checkpoints(self.directory, max_to_keep)
        self._unused_hooks = ("on_train_batch_end",) if save_freq == "epoch" else ()
        self._batches = 0
        self._last_batch = 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._last_batch = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.save_freq == "epoch":
            self._save(epoch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._batches += batch + 1 - self._last_batch
        self._last_batch = batch + 1
        if self._batches >= self.save_freq:
            self._batches = 0
            self._save(int(np.asarray(self.model.optimizer.iterations)), logs)

    def on_train_end(self, logs: Any = None) -> None:
        self.wait_until_finished()

    def wait_until_finished(self) -> None:
        """Come back when all checkpoints are on disk."""
        self._checkpoints.wait()

    def is_multihost_enabled(self) -> bool:
        """Whether several processes train this model together."""
        return self._checkpoints.hosts() > 1

    def is_primary_host(self) -> bool:
        """Whether this is the process that writes what all have alike."""
        return self._checkpoints.is_primary_host()

    def _save(self, step: int, logs: Any) -> None:
        if self.save_best_only:
            value = self.current(logs)
            if value is None or not self.improves(value, self.best):
                return
            self.best = value
        if self.verbose:
            sys.stdout.write(f"\nSaving checkpoint {step} to {self.directory}\n")
        self._checkpoints.save(self.model, step, self.save_weights_only, self.save_on_background)
