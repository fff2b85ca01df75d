"""Callbacks from functions."""

from __future__ import annotations

from typing import Any

from kspec import public
from ktrain.callbacks.callback import Callback


@public("keras.callbacks.LambdaCallback")
class LambdaCallback(Callback):
    """A callback whose hooks are functions.

    Args:
        on_epoch_begin, on_epoch_end, on_train_batch_begin, on_train_batch_end: functions of (number, logs).
        on_train_begin, on_train_end: functions of (logs).
        **kwargs: any other hook.

    Example:
        >>> LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch, logs["loss"]))
    """

    def __init__(
        self, on_epoch_begin: Any = None, on_epoch_end: Any = None, on_train_begin: Any = None,
        on_train_end: Any = None, on_train_batch_begin: Any = None, on_train_batch_end: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        hooks = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
            "on_train_batch_begin": on_train_batch_begin,
            "on_train_batch_end": on_train_batch_end,
        }
        for name, function in {**hooks, **kwargs}.items():
            if function is not None:
                setattr(self, name, function)
