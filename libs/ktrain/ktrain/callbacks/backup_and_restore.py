"""Going on with training that was interrupted."""

from __future__ import annotations

import json
import os
import shutil
from typing import Any

import numpy as np

from kspec import public
from ktrain.callbacks.callback import Callback

_WEIGHTS, _METADATA = "latest.weights.h5", "training_metadata.json"


@public("keras.callbacks.BackupAndRestore")
class BackupAndRestore(Callback):
    """Keeps a copy of the state of training, and starts from it when the same `fit` is run again.

    Weights, optimizer, epoch and the order of shuffling (NumPy's random state) are restored.

    Args:
        backup_dir: a folder for this training alone.
        save_freq: "epoch", or a number of batches.
        double_checkpoint: keep the copy before the last too.
        delete_checkpoint: remove the copies when training ends well.
    """

    def __init__(
        self, backup_dir: Any, save_freq: Any = "epoch", double_checkpoint: bool = False, delete_checkpoint: bool = True
    ) -> None:
        super().__init__()
        if not backup_dir:
            raise ValueError("backup_dir is empty; give a folder for this training alone.")
        if save_freq != "epoch" and (not isinstance(save_freq, int) or save_freq < 1):
            raise ValueError(f"save_freq is 'epoch' or a positive number of batches, not {save_freq!r}.")
        self.backup_dir = os.fspath(backup_dir)
        self.save_freq = save_freq
        self.double_checkpoint = double_checkpoint
        self.delete_checkpoint = delete_checkpoint
        self._unused_hooks = ("on_train_batch_end",) if save_freq == "epoch" else ()
        self._epoch = 0
        self._batches = 0
        self._last_batch = 0

    def on_train_begin(self, logs: Any = None) -> None:
        os.makedirs(self.backup_dir, exist_ok=True)
        for folder in (self.backup_dir, self.backup_dir + "_prev"):
            metadata = os.path.join(folder, _METADATA)
            weights = os.path.join(folder, _WEIGHTS)
            if os.path.exists(metadata) and os.path.exists(weights):
                with open(metadata, encoding="utf-8") as file:
                    state = json.load(file)
                self.model.load_weights(weights)
                self.model._initial_epoch = state["epoch"]
                if "random" in state:
                    kind, keys, position, has_gauss, gauss = state["random"]
                    np.random.set_state((kind, np.array(keys, "uint32"), position, has_gauss, gauss))
                return

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._epoch = epoch
        self._last_batch = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._epoch = epoch + 1
        if self.save_freq == "epoch":
            self._save()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._batches += batch + 1 - self._last_batch
        self._last_batch = batch + 1
        if self._batches >= self.save_freq:
            self._batches = 0
            self._save()

    def _save(self) -> None:
        folder = self.backup_dir
        if self.double_checkpoint and os.path.exists(os.path.join(folder, _METADATA)):
            shutil.rmtree(folder + "_prev", ignore_errors=True)
            shutil.copytree(folder, folder + "_prev")
        os.makedirs(folder, exist_ok=True)
        self.model.save_weights(os.path.join(folder, _WEIGHTS), overwrite=True)
        kind, keys, position, has_gauss, gauss = np.random.get_state()
        state = {"epoch": self._epoch, "random": [kind, keys.tolist(), position, has_gauss, gauss]}
        path = os.path.join(folder, _METADATA)
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(state, file)
        os.replace(path + ".new", path)

    def on_train_end(self, logs: Any = None) -> None:
        if self.delete_checkpoint:
            for folder in (self.backup_dir, self.backup_dir + "_prev"):
                shutil.rmtree(folder, ignore_errors=True)
