"""`CallbackList`: calls the hooks of many callbacks, and only those that somebody overrides."""

from __future__ import annotations

from typing import Any, Callable

from kops import tree
from kspec import public
from ktrain.callbacks.callback import Callback
from ktrain.callbacks.history import History
from ktrain.callbacks.progbar_logger import ProgbarLogger

# Hooks that do nothing else than call another one.
_OTHER_NAMES = {"on_train_batch_begin": "on_batch_begin", "on_train_batch_end": "on_batch_end"}
_BATCH_HOOKS = tuple(f"on_{kind}_batch_{when}" for kind in ("train", "test", "predict") for when in ("begin", "end"))


def overrides(callback: Callback, hook: str) -> bool:
    """Whether a callback has its own version of a hook (and does not say that it has no use for it)."""
    if hook in getattr(callback, "_unused_hooks", ()):
        return False
    for name in (hook, _OTHER_NAMES.get(hook, hook)):
        if name in callback.__dict__ or getattr(type(callback), name) is not getattr(Callback, name):
            return True
    return False


@public("keras.callbacks.CallbackList")
class CallbackList(Callback):
    """Several callbacks as one.

    Args:
        callbacks: a callback or a list of them.
        add_history: whether a `History` is added.
        add_progbar: whether a `ProgbarLogger` is added.
        model: handed to the callbacks.
        **params: handed to the callbacks.
    """

    def __init__(
        self, callbacks: Any = None, add_history: bool = False, add_progbar: bool = False, model: Any = None,
        **params: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.callbacks = [c for c in tree.flatten(callbacks) if c is not None] if callbacks else []
        for callback in self.callbacks:
            if not isinstance(callback, Callback):
                raise TypeError(
                    f"callbacks holds {callback!r} of type {type(callback).__name__}; give objects of subclasses of "
                    "keras.callbacks.Callback."
                )
        self._history = next((c for c in self.callbacks if isinstance(c, History)), None)
        if self._history is None and add_history:
            self._history = History()
            self.callbacks.append(self._history)
        if add_progbar and not any(isinstance(c, ProgbarLogger) for c in self.callbacks):
            self.callbacks.append(ProgbarLogger())
        self._decide()
        if params:
            self.set_params(params)
        if model is not None:
            self.set_model(model)

    def _decide(self) -> None:
        """Which callbacks each batch hook calls, decided once."""
        self._hooks: dict[str, list[tuple[Callable[..., None], bool]]] = {
            hook: [
                (getattr(c, hook), getattr(c, "_takes_function_of_logs", False))
                for c in self.callbacks
                if overrides(c, hook)
            ]
            for hook in _BATCH_HOOKS
        }

    def append(self, callback: Callback) -> None:
        """Add a callback at the end."""
        self.callbacks.append(callback)
        self._decide()

    def listens(self, hook: str) -> bool:
        """Whether any callback has its own version of a batch hook."""
        return bool(self._hooks[hook])

    def set_params(self, params: dict[str, Any]) -> None:
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model: Any) -> None:
        super().set_model(model)
        if self._history is not None:
            model.history = self._history
        for callback in self.callbacks:
            callback.set_model(model)

    def call_batch_end(self, hook: str, batch: int, fetch: Callable[[], dict[str, Any]]) -> None:
        """Call a batch-end hook; logs are fetched from the device only for callbacks that read them.

        Args:
            fetch: gives the logs as Python numbers; callbacks with `_takes_function_of_logs` get it instead of logs.
        """
        logs: Any = None
        for call, takes_function in self._hooks[hook]:
            if takes_function:
                call(batch, fetch)
            else:
                if logs is None:
                    logs = fetch()
                call(batch, logs)

    def _batch(self, hook: str, batch: int, logs: Any) -> None:
        for call, takes_native in self._hooks[hook]:
            call(batch, (lambda: logs or {}) if takes_native else logs or {})

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        for callback in self.callbacks:
            callback.on_batch_begin(batch, logs=logs)

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        for callback in self.callbacks:
            callback.on_batch_end(batch, logs=logs)

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._batch("on_train_batch_begin", batch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._batch("on_train_batch_end", batch, logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._batch("on_test_batch_begin", batch, logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        self._batch("on_test_batch_end", batch, logs)

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._batch("on_predict_batch_begin", batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        self._batch("on_predict_batch_end", batch, logs)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        for callback in self.callbacks:
            callback.on_epoch_begin(epoch, {} if logs is None else logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        for callback in self.callbacks:
            callback.on_epoch_end(epoch, {} if logs is None else logs)

    def _each(self, hook: str, logs: Any) -> None:
        for callback in self.callbacks:
            getattr(callback, hook)({} if logs is None else logs)

    def on_train_begin(self, logs: Any = None) -> None:
        self._each("on_train_begin", logs)

    def on_train_end(self, logs: Any = None) -> None:
        self._each("on_train_end", logs)

    def on_test_begin(self, logs: Any = None) -> None:
        self._each("on_test_begin", logs)

    def on_test_end(self, logs: Any = None) -> None:
        self._each("on_test_end", logs)

    def on_predict_begin(self, logs: Any = None) -> None:
        self._each("on_predict_begin", logs)

    def on_predict_end(self, logs: Any = None) -> None:
        self._each("on_predict_end", logs)
