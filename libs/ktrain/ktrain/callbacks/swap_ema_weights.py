"""Evaluating with the moving averages of the weights."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.callbacks.callback import Callback


@public("keras.callbacks.SwapEMAWeights")
class SwapEMAWeights(Callback):
    """Exchanges the weights and their averages (of an optimizer with `use_ema=True`) before and after evaluation.

    Args:
        swap_on_epoch: exchange around epochs' ends instead, so that checkpoints hold the averages.
    """

    def __init__(self, swap_on_epoch: bool = False) -> None:
        super().__init__()
        self.swap_on_epoch = swap_on_epoch
        self._swapped = False

    def set_model(self, model: Any) -> None:
        super().set_model(model)
        optimizer = self._optimizer()
        if optimizer is not None and not optimizer.use_ema:
            raise ValueError("SwapEMAWeights needs an optimizer with use_ema=True.")

    def _optimizer(self) -> Any:
        optimizer = getattr(self.model, "optimizer", None)
        return getattr(optimizer, "inner_optimizer", optimizer)

    def _swap(self) -> None:
        optimizer = self._optimizer()
        if optimizer is None or not optimizer.built:
            return
        for variable, average in zip(optimizer._trainable_variables, optimizer._averages):
            value = ops.copy(variable.value)
            variable.assign(ops.copy(average.value))
            average.assign(value)
        self._swapped = not self._swapped

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if self.swap_on_epoch and self._swapped:
            self._swap()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.swap_on_epoch and not self._swapped:
            self._swap()

    def on_test_begin(self, logs: Any = None) -> None:
        if not self.swap_on_epoch:
            self._swap()

    def on_test_end(self, logs: Any = None) -> None:
        if not self.swap_on_epoch:
            self._swap()

    def on_predict_begin(self, logs: Any = None) -> None:
        if not self.swap_on_epoch:
            self._swap()

    def on_predict_end(self, logs: Any = None) -> None:
        if not self.swap_on_epoch:
            self._swap()
