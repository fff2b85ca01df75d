"""`Callback`: hooks that training calls."""

from __future__ import annotations

from typing import Any

from kspec import public


@public("keras.callbacks.Callback")
class Callback:
    """Base class: override the hooks you need; the others cost nothing.

    `self.model` is the model, `self.params` a dictionary with `epochs`, `steps` and `verbose`. Set
    `self.model.stop_training = True` to end training after the current batch or epoch.

    Example:
        >>> class Greet(keras.callbacks.Callback):
        ...     def on_epoch_end(self, epoch, logs=None):
        ...         print(epoch, logs["loss"])
    """

    def __init__(self) -> None:
        self.params: dict[str, Any] = {}
        self._model: Any = None

    params: dict[str, Any] = {}
    _model: Any = None

    def set_params(self, params: dict[str, Any]) -> None:
        """Called before anything else."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Called before anything else."""
        self._model = model

    @property
    def model(self) -> Any:
        """The model."""
        return self._model

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Before each epoch of fit."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """After each epoch of fit and its validation; `logs` has the metrics, `val_` ones included."""

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Another name of `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Another name of `on_train_batch_end`."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Before each group of `steps_per_execution` training steps."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """After each group of `steps_per_execution` training steps."""
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Before each group of evaluation steps."""

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """After each group of evaluation steps."""

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Before each group of prediction steps."""

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """After each group of prediction steps; `logs` has the "outputs"."""

    def on_train_begin(self, logs: Any = None) -> None:
        """At the beginning of fit."""

    def on_train_end(self, logs: Any = None) -> None:
        """At the end of fit."""

    def on_test_begin(self, logs: Any = None) -> None:
        """At the beginning of evaluate or of a validation."""

    def on_test_end(self, logs: Any = None) -> None:
        """At the end of evaluate or of a validation."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """At the beginning of predict."""

    def on_predict_end(self, logs: Any = None) -> None:
        """At the end of predict."""
