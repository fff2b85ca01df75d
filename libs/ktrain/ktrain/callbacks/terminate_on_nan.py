"""Stopping when the loss is no number any more."""

from __future__ import annotations

import math
import sys
from typing import Any

from kspec import public
from ktrain.callbacks.callback import Callback


@public("keras.callbacks.TerminateOnNaN")
class TerminateOnNaN(Callback):
    """Ends training when the loss is NaN or infinite. It looks at each batch, which waits for the device.

    Args:
        raise_error: raise a `RuntimeError` instead.
    """

    def __init__(self, raise_error: bool = False) -> None:
        super().__init__()
        self.raise_error = raise_error

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        loss = (logs or {}).get("loss")
        if loss is None or math.isfinite(loss):
            return
        text = f"Batch {batch}: the loss is {float(loss)}; training ends."
        if self.raise_error:
            raise RuntimeError(f"{text} Lower the learning rate, clip gradients, or check the data for NaN.")
        sys.stdout.write(f"{text}\n")
        self.model.stop_training = True
