"""Follow the regularized leader."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.Ftrl")
class Ftrl(Optimizer):
    """Follow the regularized leader: linear models with many zeros.

    Args:
        learning_rate: a number, a schedule or a callable.
        learning_rate_power: how the rate falls with the sum of squares; -0.5 is the usual root.
        initial_accumulator_value: what the sums of squares start from.
        l1_regularization_strength: pulls to exactly zero.
        l2_regularization_strength: pulls towards zero.
        l2_shrinkage_regularization_strength: adds a multiple of the variable to its gradient.
        beta: added to the root of the sum of squares, times half the inverse learning rate.
        weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name: see `keras.Optimizer`.

    McMahan et al., Ad Click Prediction: a View from the Trenches, 2013.
    """

    def __init__(
        self, learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5, initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0, beta: float = 0.0,
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
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta

    def build(self, var_list: Any) -> None:
        if self.built:
            return
        super().build(var_list)
        start = self.initial_accumulator_value
        full = lambda shape, dtype=None: ops.full(shape, start, dtype=dtype)
        self._squares, self._linears = self.add_optimizer_variables(
            var_list, ("accumulator", "linear"), (full, "zeros")
        )

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        i = self._index(variable)
        squares, linear = self._squares[i], self._linears[i]
        shrunk = ops.add(gradient, ops.multiply(2.0 * self.l2_shrinkage_regularization_strength, variable))
        total = ops.add(squares, ops.square(gradient))
        power = lambda x: ops.power(x, -self.learning_rate_power)
        grown = ops.divide(ops.subtract(power(total), power(squares)), rate)
        linear.assign_add(ops.subtract(shrunk, ops.multiply(grown, variable)))
        l2 = ops.add(self.l2_regularization_strength, ops.divide(self.beta, ops.multiply(2.0, rate)))
        curvature = ops.add(ops.divide(power(total), rate), ops.multiply(2.0, l2))
        l1 = self.l1_regularization_strength
        beyond = ops.subtract(ops.clip(linear.value, -l1, l1), linear)
        variable.assign(ops.divide(beyond, curvature))
        squares.assign(total)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "learning_rate_power": self.learning_rate_power,
            "initial_accumulator_value": self.initial_accumulator_value,
            "l1_regularization_strength": self.l1_regularization_strength,
            "l2_regularization_strength": self.l2_regularization_strength,
            "l2_shrinkage_regularization_strength": self.l2_shrinkage_regularization_strength,
            "beta": self.beta,
        }
