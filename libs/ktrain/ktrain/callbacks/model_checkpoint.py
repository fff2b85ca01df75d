"""Saving the model while it trains."""

from __future__ import annotations

import os
from typing import Any

from kspec import public
from ktrain.callbacks.saving import SavingCallback


@public("keras.callbacks.ModelCheckpoint")
class ModelCheckpoint(SavingCallback):
    """Saves the model or its weights after each epoch, or when it is better than before.

    Args:
        filepath: may have fields: `"at_{epoch:02d}_{val_loss:.2f}.keras"`. Ends in ".keras", with
            `save_weights_only` in ".weights.h5".
        monitor: the name in the logs.
        verbose: 1 prints what it does.
        save_best_only: only when the monitored value is the best so far.
        save_weights_only: the weights instead of the model.
        mode: "min", "max" or "auto".
        save_freq: "epoch", or a number of batches.
        initial_value_threshold: improvements count from here on.
    """

    def __init__(
        self, filepath: Any, monitor: str = "val_loss", verbose: int = 0, save_best_only: bool = False,
        save_weights_only: bool = False, mode: str = "auto", save_freq: Any = "epoch",
        initial_value_threshold: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode, verbose, save_best_only, save_weights_only, save_freq, initial_value_threshold)
        self.filepath = os.fspath(filepath)
        ending = ".weights.h5" if save_weights_only else ".keras"
        if not self.filepath.endswith((ending, ".h5") if not save_weights_only else ending):
            raise ValueError(f"The filepath must end in {ending!r}, but is {self.filepath!r}.")

    def _save(self, epoch: int, batch: int | None, logs: Any) -> None:
        fields = {**(logs or {}), "epoch": epoch + 1}
        if batch is not None:
            fields["batch"] = batch + 1
        try:
            path = self.filepath.format(**fields)
        except KeyError as error:
            raise KeyError(
                f"The filepath {self.filepath!r} has the field {error}, but the logs have: {', '.join(sorted(fields))}."
            ) from error
        if self.save_best_only:
            value = self.current(logs)
            if value is None:
                return
            if not self.improves(value, self.best):
                self._say(f"\nEpoch {epoch + 1}: {self.monitor} did not improve from {self.best:.5f}\n")
                return
            before = "" if self.best is None else f" from {self.best:.5f}"
            self._say(f"\nEpoch {epoch + 1}: {self.monitor} improved{before} to {value:.5f}, saving to {path}\n")
            self.best = value
        else:
            self._say(f"\nEpoch {epoch + 1}: saving to {path}\n")
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)
