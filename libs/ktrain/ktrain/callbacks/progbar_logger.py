"""`ProgbarLogger`: the progress of fit, evaluate and predict."""

from __future__ import annotations

import sys
from typing import Any

from kspec import public
from ktrain.callbacks.callback import Callback
from ktrain.progbar import Progbar


@public("keras.callbacks.ProgbarLogger")
class ProgbarLogger(Callback):
    """Shows a progress bar for each epoch; fit adds one unless `verbose=0`."""

    # The logs of a batch come as a function: fetching them waits for the device, and most are not shown.
    _takes_function_of_logs = True

    def __init__(self) -> None:
        super().__init__()
        self.verbose = 1
        self.epochs: int | None = None
        self.target: int | None = None
        self.seen = 0
        self.progbar: Progbar | None = None
        self._within_fit = False

    def set_params(self, params: dict[str, Any]) -> None:
        super().set_params(params)
        verbose = params.get("verbose", 1)
        self.verbose = 1 if verbose == "auto" else int(verbose)
        self.epochs = params.get("epochs")
        self.target = params.get("steps")

    def on_train_begin(self, logs: Any = None) -> None:
        self._within_fit = True

    def on_train_end(self, logs: Any = None) -> None:
        self._within_fit = False

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._open()
        if self.verbose and self.epochs and self.epochs > 1:
            sys.stdout.write(f"Epoch {epoch + 1}/{self.epochs}\n")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._finish(logs)

    def on_test_begin(self, logs: Any = None) -> None:
        if not self._within_fit:
            self._open()

    def on_test_end(self, logs: Any = None) -> None:
        if not self._within_fit:
            self._finish(logs)

    def on_predict_begin(self, logs: Any = None) -> None:
        self._open()

    def on_predict_end(self, logs: Any = None) -> None:
        self._finish(None)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._show(batch, logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        if not self._within_fit:
            self._show(batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        self._show(batch, None)

    def _open(self) -> None:
        self.seen = 0
        self.target = self.params.get("steps")
        self.progbar = Progbar(self.target, verbose=self.verbose)

    def _show(self, batch: int, logs: Any) -> None:
        self.seen = batch + 1
        bar = self.progbar
        if bar is None:
            return
        if bar._after_first is None or bar.due():
            values = (logs() if callable(logs) else logs) or {} if bar.due() else {}
            bar.stateful_metrics.update(values)
            bar.update(self.seen, values.items(), finalize=False)

    def _finish(self, logs: Any) -> None:
        bar = self.progbar
        if bar is None:
            return
        values = logs or {}
        bar.stateful_metrics.update(values)
        if bar.target is None:
            bar.target = self.seen
            self.params["steps"] = self.seen
        bar.update(self.seen, values.items(), finalize=True)
