"""LAMB."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.Lamb")
class Lamb(Optimizer):
    """Adam whose step for each variable has the length of the variable itself.

    Args:
        learning_rate: a number, a schedule or a callable.
        beta_1: how slowly the mean of gradients changes.
        beta_2: how slowly the mean of squared gradients changes.
        epsilon: added to the root, against division by zero.
        weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name: see `keras.Optimizer`.

    You et al., Large Batch Optimization for Deep Learning: Training BERT in 76 minutes, 2019.
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
        self._m, self._v = self.add_optimizer_variables(var_list, ("momentum", "velocity"))

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        dtype = variable.dtype
        rate, gradient = ops.cast(learning_rate, dtype), ops.cast(gradient, dtype)
        step = ops.cast(ops.add(self.iterations, 1), dtype)
        i = self._index(variable)
        m, v = self._m[i], self._v[i]
        m.assign_add(ops.multiply(ops.subtract(gradient, m), 1.0 - self.beta_1))
        v.assign_add(ops.multiply(ops.subtract(ops.square(gradient), v), 1.0 - self.beta_2))
        mean = ops.divide(m, ops.subtract(1.0, ops.power(self.beta_1, step)))
        square = ops.divide(v, ops.subtract(1.0, ops.power(self.beta_2, step)))
        direction = ops.divide(mean, ops.add(ops.sqrt(square), self.epsilon))
        length = lambda x: ops.sqrt(ops.sum(ops.square(x)))
        own, other = length(variable.value), length(direction)
        known = ops.logical_and(ops.greater(own, 0.0), ops.greater(other, 0.0))
        ratio = ops.where(known, ops.divide_no_nan(own, other), ops.ones_like(own))
        variable.assign_sub(ops.multiply(ops.multiply(ratio, rate), direction))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon}
