"""RMSprop."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.RMSprop")
class RMSprop(Optimizer):
    """Gradients divided by the root of their running mean square.

    Args:
        learning_rate: a number, a schedule or a callable.
        rho: how slowly the mean of squares changes.
        momentum: how much of the last step is repeated.
        epsilon: added to the mean of squares, against division by zero.
        centered: use the variance instead of the mean of squares.
        weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name: see `keras.Optimizer`.

    Hinton, Neural Networks for Machine Learning, lecture 6, 2012.
    """

    def __init__(
        self, learning_rate: Any = 0.001,
        rho: float = 0.9, momentum: float = 0.0, epsilon: float = 1e-7, centered: bool = False,
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
        self.rho = rho
        self.momentum = momentum
        self.epsilon = epsilon
        self.centered = centered

    def build(self, var_list: Any) -> None:
        if self.built:
            return
        super().build(var_list)
        self._velocities = self.add_optimizer_variables(var_list, "velocity")
        self._momentums = self.add_optimizer_variables(var_list, "momentum") if self.momentum > 0 else []
        self._average_gradients = self.add_optimizer_variables(var_list, "average_gradient") if self.centered else []

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        i = self._index(variable)
        v = self._velocities[i]
        v.assign(ops.add(ops.multiply(self.rho, v), ops.multiply(1.0 - self.rho, ops.square(gradient))))
        spread: Any = v
        if self.centered:
            mean = self._average_gradients[i]
            mean.assign(ops.add(ops.multiply(self.rho, mean), ops.multiply(1.0 - self.rho, gradient)))
            spread = ops.subtract(v, ops.square(mean))
        step = ops.divide(ops.multiply(rate, gradient), ops.sqrt(ops.add(spread, self.epsilon)))
        if self.momentum > 0:
            slot = self._momentums[i]
            slot.assign(ops.add(ops.multiply(self.momentum, slot), step))
            step = slot.value
        variable.assign_sub(step)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "rho": self.rho,
            "momentum": self.momentum,
            "epsilon": self.epsilon,
            "centered": self.centered,
        }
