"""Adagrad."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.Adagrad")
class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of all their squares.

    Args:
        learning_rate: a number, a schedule or a callable.
        initial_accumulator_value: what the sums start from.
        epsilon: added to the sum, against division by zero.
        weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name: see `keras.Optimizer`.

    Duchi et al., Adaptive Subgradient Methods for Online Learning and Stochastic Optimization, 2011.
    """

    def __init__(
        self, learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1, epsilon: float = 1e-7,
        weight_decay: float | None = None, clipnorm: float | None = None, clipvalue: float | None = None,
        global_clipnorm: float | None = None, use_ema: bool = False, ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None, loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None, name: str | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            learning_rate=learning_rate, weight_decay=weight_decay, clipnorm=clipnorm, clipvalue=clipvalue,
            global_clipnorm=global_clipnorm, use_ema=use_ema, ema_momentum=ema_momentum,
            ema_overwrite_frequency=ema_overwrite_frequency, loss_scale_factor=loss_scale_factor,
            gradient_accumulation_steps=gradient_accumulation_steps, name=name, **kwargs,
        )  # fmt: skip
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon

    def build(self, var_list: Any) -> None:
        if self.built:
            return
        super().build(var_list)
        start = self.initial_accumulator_value
        self._accumulators_of_squares = self.add_optimizer_variables(
            var_list, "accumulator", lambda shape, dtype=None: ops.full(shape, start, dtype=dtype)
        )

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        total = self._accumulators_of_squares[self._index(variable)]
        total.assign_add(ops.square(gradient))
        variable.assign_sub(ops.divide(ops.multiply(rate, gradient), ops.sqrt(ops.add(total, self.epsilon))))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "initial_accumulator_value": self.initial_accumulator_value,
            "epsilon": self.epsilon,
        }
