"""`History`: what fit returns."""

from __future__ import annotations

from typing import Any

from kspec import public
from ktrain.callbacks.callback import Callback


@public("keras.callbacks.History")
class History(Callback):
    """The metrics of each epoch: `history.history["loss"]` is a list with one number for each epoch."""

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Any = None) -> None:
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)
        self.model.history = self
