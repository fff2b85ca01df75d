"""Adam."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.Adam")
class Adam(Optimizer):
    """Steps along the mean gradient, scaled by its root mean square.

    Args:
        learning_rate: a number, a schedule or a callable.
        beta_1: how slowly the mean of gradients changes.
        beta_2: how slowly the mean of squared gradients changes.
        epsilon: added to the root, against division by zero.
        amsgrad: divide by the largest mean of squares so far.
        weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name: see `keras.Optimizer`.

    Kingma and Ba, Adam: A Method for Stochastic Optimization, 2014.
    """

    def __init__(
        self, learning_rate: Any = 0.001,
        beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7, amsgrad: bool = False,
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
        self.amsgrad = amsgrad

    def build(self, var_list: Any) -> None:
        if self.built:
            return
        super().build(var_list)
        self._momentums, self._velocities = self.add_optimizer_variables(var_list, ("momentum", "velocity"))
        self._velocity_hats = self.add_optimizer_variables(var_list, "velocity_hat") if self.amsgrad else []

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        dtype = variable.dtype
        gradient = ops.cast(gradient, dtype)
        step = ops.cast(ops.add(self.iterations, 1), dtype)
        correction = ops.divide(
            ops.sqrt(ops.subtract(1.0, ops.power(self.beta_2, step))), ops.subtract(1.0, ops.power(self.beta_1, step))
        )
        rate = ops.multiply(ops.cast(learning_rate, dtype), correction)
        i = self._index(variable)
        m, v = self._momentums[i], self._velocities[i]
        m.assign_add(ops.multiply(ops.subtract(gradient, m), 1.0 - self.beta_1))
        v.assign_add(ops.multiply(ops.subtract(ops.square(gradient), v), 1.0 - self.beta_2))
        if self.amsgrad:
            largest = self._velocity_hats[i]
            largest.assign(ops.maximum(largest, v))
            v = largest
        variable.assign_sub(ops.divide(ops.multiply(m, rate), ops.add(ops.sqrt(v), self.epsilon)))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "amsgrad": self.amsgrad,
        }
