"""Event files for TensorBoard."""

from __future__ import annotations

import os
import time
from typing import Any

import kops as ops
from kspec import public
from ktrain.callbacks.callback import Callback
from ktrain.event_file import EventFile, histogram, scalar


@public("keras.callbacks.TensorBoard")
class TensorBoard(Callback):
    """Writes metrics, the learning rate and histograms of weights for TensorBoard; needs no TensorFlow.

    Args:
        log_dir: folder; below it are "train" and "validation".
        histogram_freq: histograms of the weights every so many epochs; 0 for none.
        write_steps_per_second: also how many steps are made in a second.
        update_freq: "epoch", "batch", or a number of batches: how often metrics of batches are written.
        write_graph, write_images, profile_batch, embeddings_freq, embeddings_metadata: not supported; any other value
            than that which turns them off raises an error, except the default of `write_graph`.
    """

    def __init__(
        self, log_dir: Any = "logs", histogram_freq: int = 0, write_graph: bool = True, write_images: bool = False,
        write_steps_per_second: bool = False, update_freq: Any = "epoch", profile_batch: Any = 0,
        embeddings_freq: int = 0, embeddings_metadata: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        for name, value in (
            ("write_images", write_images), ("profile_batch", profile_batch), ("embeddings_freq", embeddings_freq),
        ):  # fmt: skip
            if value:
                raise NotImplementedError(f"TensorBoard({name}=...) is not supported; leave it out.")
        if update_freq not in ("epoch", "batch") and (not isinstance(update_freq, int) or update_freq < 1):
            raise ValueError(f"update_freq is 'epoch', 'batch' or a number of batches, not {update_freq!r}.")
        self.log_dir = os.fspath(log_dir)
        self.histogram_freq = histogram_freq
        self.write_steps_per_second = write_steps_per_second
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self._unused_hooks = ("on_train_batch_end",) if update_freq == "epoch" and not write_steps_per_second else ()
        # The logs of a batch come as a function, so that steps which are not written need not wait for the device.
        self._takes_function_of_logs = True
        self._files: dict[str, EventFile] = {}
        self._step = 0
        self._last_batch = 0
        self._epoch_start = (0.0, 0)

    def _file(self, kind: str) -> EventFile:
        if kind not in self._files:
            self._files[kind] = EventFile(os.path.join(self.log_dir, kind))
        return self._files[kind]

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._last_batch = 0
        self._epoch_start = (time.time(), self._step)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._step += batch + 1 - self._last_batch
        self._last_batch = batch + 1
        if isinstance(self.update_freq, int) and self._step % self.update_freq == 0:
            for name, value in (logs() if callable(logs) else logs or {}).items():
                self._file("train").add(scalar(f"batch_{name}", value), self._step)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        for name, value in (logs or {}).items():
            if getattr(value, "ndim", 0):
                continue
            if name.startswith("val_"):
                self._file("validation").add(scalar(f"epoch_{name[4:]}", value), epoch)
            else:
                self._file("train").add(scalar(f"epoch_{name}", value), epoch)
        optimizer = getattr(self.model, "optimizer", None)
        if optimizer is not None:
            rate = float(ops.convert_to_numpy(optimizer.learning_rate))
            self._file("train").add(scalar("epoch_learning_rate", rate), epoch)
        start, step = self._epoch_start
        if self.write_steps_per_second:
            speed = (self._step - step) / max(time.time() - start, 1e-9)
            self._file("train").add(scalar("epoch_steps_per_second", speed), epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            for variable in self.model.weights:
                self._file("train").add(histogram(variable.path, variable.numpy()), epoch)
        for file in self._files.values():
            file.flush()

    def on_train_end(self, logs: Any = None) -> None:
        for file in self._files.values():
            file.close()
        self._files.clear()
