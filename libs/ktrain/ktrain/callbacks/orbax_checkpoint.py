"""Checkpoints in the format of Orbax while the model trains."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from kspec import public
from ktrain.callbacks.saving import SavingCallback


@public("keras.callbacks.OrbaxCheckpoint")
class OrbaxCheckpoint(SavingCallback):
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

        super().__init__(monitor, mode, verbose, save_best_only, save_weights_only, save_freq, initial_value_threshold)
        if max_to_keep is not None and max_to_keep < 1:
            raise ValueError(f"max_to_keep is a positive number of checkpoints or None, not {max_to_keep!r}.")
        self.directory = os.fspath(directory)
        self.max_to_keep = max_to_keep
        self.save_on_background = save_on_background
        self._checkpoints = Checkpoints(self.directory, max_to_keep)

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

    def _save(self, epoch: int, batch: int | None, logs: Any) -> None:
        step = epoch if batch is None else int(np.asarray(self.model.optimizer.iterations))
        if self.save_best_only:
            value = self.current(logs)
            if value is None or not self.improves(value, self.best):
                return
            self.best = value
        self._say(f"\nSaving checkpoint {step} to {self.directory}\n")
        self._checkpoints.save(self.model, step, self.save_weights_only, self.save_on_background)
