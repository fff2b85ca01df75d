"""The one training loop: fit, evaluate, predict and their single-batch forms, on every engine."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

from kops import tree
from kops.config import settings
from ktrain import engines
from ktrain.callbacks.callback_list import CallbackList
from ktrain.data import array_adapter
from ktrain.data.adapt import adapt
from ktrain.data.arrays import standardize
from ktrain.data.class_weight import sample_weights_of
from ktrain.data.epochs import EpochIterator
from ktrain.data.packing import batch_tuple, unpack_x_y_sample_weight


def _callbacks(callbacks: Any, model: Any, verbose: Any, history: bool = False, **params: Any) -> CallbackList:
    if isinstance(callbacks, CallbackList):
        return callbacks
    verbose = 1 if verbose == "auto" else int(verbose)
    return CallbackList(
        callbacks, add_history=history, add_progbar=verbose != 0, model=model, verbose=verbose, **params
    )


def _refuse_unknown(name: str, kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise TypeError(f"{name}() got unknown arguments: {', '.join(sorted(kwargs))}.")


class Loops:
    """Mixin of `Trainer`; the step functions come from the engine."""

    def fit(
        self: Any, x: Any = None, y: Any = None, batch_size: int | None = None, epochs: int = 1, verbose: Any = "auto",
        callbacks: Any = None, validation_split: float = 0.0, validation_data: Any = None, shuffle: Any = True,
        class_weight: Any = None, sample_weight: Any = None, initial_epoch: int = 0,
        steps_per_epoch: int | None = None, validation_steps: int | None = None,
        validation_batch_size: int | None = None, validation_freq: Any = 1,
    ) -> Any:  # fmt: skip
        """Train the model.

        Args:
            x: inputs: arrays or structures of them, or a PyDataset, tf.data.Dataset, DataLoader or generator of
                batches `(x, y[, sample_weight])`.
            y: labels, with arrays.
            batch_size: samples in a batch, with arrays; 32.
            epochs: number of the last epoch; how many are made is `epochs - initial_epoch`.
            verbose: 0 silent, 1 or "auto" a progress bar, 2 one line for each epoch.
            callbacks: a list of `keras.callbacks.Callback`.
            validation_split: this part of the arrays (their end, before shuffling) is for validation.
            validation_data: `(x, y[, sample_weight])` or anything `x` may be.
            shuffle: another order in each epoch; "batch" shuffles only batches.
            class_weight: class numbers to weights in the loss.
            sample_weight: weights of samples in the loss.
            initial_epoch: where to go on.
            steps_per_epoch: batches in one epoch; default all.
            validation_steps: batches of validation; default all.
            validation_batch_size: default `batch_size`.
            validation_freq: validate every so many epochs, or in the epochs of a list.

        Returns:
            A `History`, whose `history` has the metrics of each epoch.

        Raises:
            ValueError: not compiled; data that does not fit.
            NotImplementedError: the engine cannot train.
        """
        engines.load().require_training()
        compiled = self._require_compiled()
        if settings.max_epochs is not None:
            epochs = min(epochs, settings.max_epochs)
        if validation_split and validation_data is None:
            if class_weight is not None and sample_weight is not None:
                raise ValueError("Give either class_weight or sample_weight, not both.")
            (x, y, sample_weight), validation_data = array_adapter.split((x, y, sample_weight), validation_split)
        steps = EpochIterator(
            adapt(x, y, sample_weight, batch_size, shuffle, class_weight), steps_per_epoch,
            compiled.steps_per_execution,
        )  # fmt: skip
        validation = None
        if validation_data is not None:
            validation = self._validation(
                validation_data, validation_batch_size or batch_size, validation_steps, compiled.steps_per_execution
            )
        calls = _callbacks(
            callbacks, self, verbose, history=True, epochs=epochs, steps=steps.num_batches,
            do_validation=validation is not None,
        )  # fmt: skip
        self.stop_training = False
        self._initial_epoch = initial_epoch
        step: Any = None
        calls.on_train_begin()
        logs: dict[str, Any] = {}
        try:
            for epoch in range(self._initial_epoch, epochs):
                self.reset_metrics()
                calls.on_epoch_begin(epoch)
                listens = calls.listens("on_train_batch_begin")
                ends = calls.listens("on_train_batch_end")
                begun = 0
                for done, group in steps:
                    if step is None:
                        self._prepare(group[0])
                        step = self.make_train_function()
                        self._watch_losses(True)
                    if listens:
                        calls.on_train_batch_begin(begun)
                    result = step(group)
                    if ends:
                        calls.call_batch_end("on_train_batch_end", done - 1, partial(self._python_logs, result))
                    begun = done
                    if self.stop_training:
                        break
                logs = self._python_logs(result)
                if validation is not None and self._validates_at(epoch, validation_freq):
                    validation.reset()
                    found = self._evaluate(validation, calls)
                    logs.update({f"val_{name}": value for name, value in found.items()})
                calls.on_epoch_end(epoch, logs)
                if self.stop_training:
                    break
        finally:
            self._watch_losses(False)
            steps.close()
            if validation is not None:
                validation.close()
        if self.optimizer is not None and self.optimizer.built:
            self.optimizer.finalize_variable_values(self.trainable_variables)
        calls.on_train_end(logs)
        return self.history

    def _validates_at(self, epoch: int, frequency: Any) -> bool:
        if isinstance(frequency, int):
            return (epoch + 1) % frequency == 0
        if isinstance(frequency, (list, tuple, set)):
            return epoch + 1 in frequency
        raise ValueError(f"validation_freq is a number or a list of epochs, not {frequency!r}.")

    def _validation(self, data: Any, batch_size: int | None, steps: int | None, group: int) -> EpochIterator:
        if isinstance(data, (tuple, list)):
            x, y, weight = unpack_x_y_sample_weight(data)
            adapter = adapt(x, y, weight, batch_size)
        else:
            adapter = adapt(data)
        return EpochIterator(adapter, steps, group)

    def _python_logs(self: Any, result: Any) -> dict[str, Any]:
        """Metrics as Python numbers, sorted by name; this waits for the device."""
        logs = self._result_of_metrics() if result is None else result
        return engines.load().python_logs(logs)

    def _evaluate(self: Any, steps: EpochIterator, calls: CallbackList) -> dict[str, Any]:
        calls.on_test_begin()
        self.reset_metrics()
        step: Any = None
        result: Any = None
        watching = False
        listens, ends = calls.listens("on_test_batch_begin"), calls.listens("on_test_batch_end")
        begun = 0
        for done, group in steps:
            if step is None:
                self._prepare(group[0], training=False)
                step = self.make_test_function()
                watching = self._loss_sources is None
                if watching:
                    self._watch_losses(True)
            if listens:
                calls.on_test_batch_begin(begun)
            result = step(group)
            if ends:
                calls.call_batch_end("on_test_batch_end", done - 1, partial(self._python_logs, result))
            begun = done
            if getattr(self, "stop_evaluating", False):
                break
        logs = self._python_logs(result)
        if watching:
            self._watch_losses(False)
        calls.on_test_end(logs)
        return logs

    def evaluate(
        self: Any, x: Any = None, y: Any = None, batch_size: int | None = None, verbose: Any = "auto",
        sample_weight: Any = None, steps: int | None = None, callbacks: Any = None, return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        """The loss and metrics for data.

        Args:
            x, y, sample_weight, batch_size, verbose, callbacks: see `fit`.
            steps: how many batches; default all.
            return_dict: a dictionary by name instead of a list in the order of `metrics`.

        Returns:
            One number for a model without metrics, else a list.
        """
        _refuse_unknown("evaluate", kwargs)
        compiled = self._require_compiled()
        data = EpochIterator(adapt(x, y, sample_weight, batch_size), steps, compiled.steps_per_execution)
        calls = _callbacks(callbacks, self, verbose, epochs=1, steps=data.num_batches)
        try:
            logs = self._evaluate(data, calls)
        finally:
            data.close()
        return logs if return_dict else self._logs_in_order(logs)

    def _logs_in_order(self: Any, logs: dict[str, Any]) -> Any:
        """Values of logs in the order loss, losses of outputs, metrics, others."""
        names: list[str] = []
        compiled = self._compiled
        if compiled is not None:
            names.append("loss")
            if compiled.loss is not None:
                names.extend(m.name for m in compiled.loss.metrics)
            if compiled.metrics is not None:
                names.extend(entry[1] for entry in compiled.metrics._entries)
        names = [n for n in names if n in logs]
        values = [logs[n] for n in [*names, *(n for n in logs if n not in names)]]
        return values[0] if len(values) == 1 else values

    def predict(
        self: Any, x: Any, batch_size: int | None = None, verbose: Any = "auto", steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:  # fmt: skip
        """The model's outputs for data, as NumPy arrays.

        Args:
            x: inputs; see `fit`.
            batch_size: samples in a batch; 32.
            verbose, callbacks: see `fit`.
            steps: how many batches; default all.
        """
        engine = engines.load()
        if verbose == 0 and callbacks is None and steps is None and type(x) is np.ndarray:
            if 0 < len(x) <= (batch_size or 32) and self.built:
                return engine.fetch(self._predict_ready()([(standardize(x, "x"),)]))
        data = EpochIterator(adapt(x, batch_size=batch_size), steps, self.steps_per_execution)
        calls = _callbacks(callbacks, self, verbose, epochs=1, steps=data.num_batches)
        listens, ends = calls.listens("on_predict_batch_begin"), calls.listens("on_predict_batch_end")
        parts: list[Any] = []
        waiting: Any = None
        self.stop_predicting = False
        calls.on_predict_begin()
        step: Any = None
        begun = 0
        try:
            for done, group in data:
                if step is None:
                    if not self.built:
                        self._prepare(unpack_x_y_sample_weight(group[0])[:1], training=False)
                    step = self._predict_ready()
                if listens:
                    calls.on_predict_batch_begin(begun)
                outputs = step(group)
                # The outputs before are fetched while these are computed.
                if waiting is not None:
                    parts.append(engine.fetch(waiting))
                waiting = outputs
                if ends:
                    calls.on_predict_batch_end(done - 1, {"outputs": outputs})
                begun = done
                if self.stop_predicting:
                    break
        finally:
            data.close()
        parts.append(engine.fetch(waiting))
        calls.on_predict_end()
        if len(parts) == 1:
            return parts[0]
        return tree.map_structure(_concatenate, *parts) if tree.is_nested(parts[0]) else _concatenate(*parts)

    # Single batches

    def _one_batch(self, x: Any, y: Any, sample_weight: Any, class_weight: Any = None) -> tuple[Any, ...]:
        x, y = standardize(x, "x"), standardize(y, "y")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError("Give either class_weight or sample_weight, not both.")
            sample_weight = sample_weights_of(y, class_weight)
        return batch_tuple(x, y, standardize(sample_weight, "sample_weight"))

    def train_on_batch(
        self: Any, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None,
        return_dict: bool = False,
    ) -> Any:  # fmt: skip
        """One training step. Metrics are those of this batch alone; for the result see `evaluate`."""
        engines.load().require_training()
        self._require_compiled()
        data = self._one_batch(x, y, sample_weight, class_weight)
        self._prepare(data)
        self.reset_metrics()
        logs = self._python_logs(self.make_train_function()([data]))
        return logs if return_dict else self._logs_in_order(logs)

    def test_on_batch(self: Any, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False) -> Any:
        """One evaluation step. Metrics are those of this batch alone; for the result see `evaluate`."""
        self._require_compiled()
        data = self._one_batch(x, y, sample_weight)
        self._prepare(data, training=False)
        self.reset_metrics()
        logs = self._python_logs(self.make_test_function()([data]))
        return logs if return_dict else self._logs_in_order(logs)

    def predict_on_batch(self: Any, x: Any) -> Any:
        """The outputs for one batch, as NumPy arrays."""
        data = (standardize(x, "x"),)
        if not self.built:
            self._prepare(data, training=False)
        return engines.load().fetch(self._predict_ready()([data]))


def _concatenate(*parts: Any) -> Any:
    if getattr(parts[0], "ndim", 0) == 0:
        warnings.warn("The model's outputs have no batch axis; predict() stacks them.", stacklevel=4)
        return np.stack(parts)
    return np.concatenate(parts, axis=0)
