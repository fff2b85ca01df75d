"""Changing the learning rate between epochs."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from kspec import public
from ktrain.callbacks.callback import Callback
from ktrain.callbacks.monitor import MonitorCallback


def _current_rate(model: Any) -> float:
    import kops as ops

    rate = model.optimizer.learning_rate
    return float(ops.convert_to_numpy(rate))


@public("keras.callbacks.LearningRateScheduler")
class LearningRateScheduler(Callback):
    """Sets the learning rate before each epoch.

    Args:
        schedule: a function `(epoch, learning_rate)` that returns the new learning rate.
        verbose: 1 prints it.
    """

    def __init__(self, schedule: Any, verbose: int = 0) -> None:
        super().__init__()
        self.schedule = schedule
        self.verbose = verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        before = _current_rate(self.model)
        try:
            rate = self.schedule(epoch, before)
        except TypeError:
            rate = self.schedule(epoch)  # functions of the epoch alone, as in Keras 1
        if not isinstance(rate, (float, int, np.floating, np.integer)):
            raise ValueError(f"The schedule must return a number, not {rate!r} of type {type(rate).__name__}.")
        self.model.optimizer.learning_rate = float(rate)
        if self.verbose > 0:
            sys.stdout.write(f"\nEpoch {epoch + 1}: learning rate {float(rate)}.\n")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if logs is not None:
            logs["learning_rate"] = _current_rate(self.model)


@public("keras.callbacks.ReduceLROnPlateau")
class ReduceLROnPlateau(MonitorCallback):
    """Lowers the learning rate when a metric no longer improves.

    Args:
        monitor: the name in the logs.
        factor: the new rate is the old one times this.
        patience: how many epochs without improvement are tolerated.
        verbose: 1 prints what it does.
        mode: "min", "max" or "auto".
        min_delta: a smaller change is no improvement.
        cooldown: how many epochs to wait after a change.
        min_lr: the rate does not fall below.
    """

    def __init__(
        self, monitor: str = "val_loss", factor: float = 0.1, patience: int = 10, verbose: int = 0, mode: str = "auto",
        min_delta: float = 1e-4, cooldown: int = 0, min_lr: float = 0.0, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode, min_delta)
        if factor >= 1.0:
            raise ValueError(f"factor must be less than 1, not {factor}.")
        if kwargs:
            raise TypeError(f"ReduceLROnPlateau got unknown arguments: {', '.join(kwargs)}.")
        self.factor = factor
        self.patience = patience
        self.verbose = verbose
        self.cooldown = cooldown
        self.min_lr = min_lr
        self._forget()

    def _forget(self) -> None:
        self.wait = 0
        self.cooldown_counter = 0
        self.best: Any = None

    def in_cooldown(self) -> bool:
        """Whether it waits after a change."""
        return self.cooldown_counter > 0

    def on_train_begin(self, logs: Any = None) -> None:
        self._forget()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if logs is not None:
            logs["learning_rate"] = _current_rate(self.model)
        value = self.current(logs)
        if value is None:
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.improves(value, self.best):
            self.best = value
            self.wait = 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._lower(epoch)

    def _lower(self, epoch: int) -> None:
        before = _current_rate(self.model)
        if before <= np.float32(self.min_lr):
            return
        rate = max(before * self.factor, self.min_lr)
        self.model.optimizer.learning_rate = rate
        if self.verbose > 0:
            sys.stdout.write(f"\nEpoch {epoch + 1}: lowering the learning rate to {rate}.\n")
        self.cooldown_counter = self.cooldown
        self.wait = 0
