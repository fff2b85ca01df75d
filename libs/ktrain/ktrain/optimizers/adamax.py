"""Adamax."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.Adamax")
class Adamax(Optimizer):
    """Adam with the largest gradient (decaying) in place of the root mean square.

    Args:
        learning_rate: a number, a schedule or a callable.
        beta_1: how slowly the mean of gradients changes.
        beta_2: how slowly the largest gradient is forgotten.
        epsilon: added to the divisor.
        weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name: see `keras.Optimizer`.

    Kingma and Ba, Adam: A Method for Stochastic Optimization, section 7, 2014.
    """

    def __init__(
        self, learning_rate: Any = 0.001,
        beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
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
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon

    def build(self, var_list: Any) -> None:
        if self.built:
            return
        super().build(var_list)
        self._m, self._u = self.add_optimizer_variables(var_list, ("momentum", "norm"))

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        step = ops.cast(ops.add(self.iterations, 1), variable.dtype)
        i = self._index(variable)
        m, largest = self._m[i], self._u[i]
        m.assign_add(ops.multiply(ops.subtract(gradient, m), 1.0 - self.beta_1))
        largest.assign(ops.maximum(ops.multiply(self.beta_2, largest), ops.abs(gradient)))
        rate = ops.divide(rate, ops.subtract(1.0, ops.power(self.beta_1, step)))
        variable.assign_sub(ops.divide(ops.multiply(rate, m), ops.add(largest, self.epsilon)))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon}
