"""AdamW without a schedule."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.ScheduleFreeAdamW")
class ScheduleFreeAdamW(Optimizer):
    """AdamW whose iterates are averaged as they come, so that no schedule has to end.

    Gradients are taken at `y = (1 - beta_1) z + beta_1 x`, which the variables hold; `z` makes the steps and `x` is
    their average.

    Args:
        learning_rate: a number or a callable.
        beta_1: share of the average in the point where gradients are taken.
        beta_2: how slowly the mean of squared gradients changes.
        epsilon: added to the root, against division by zero.
        warmup_steps: the rate grows linearly for so many steps.
        weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name: see `keras.Optimizer`.

    Defazio et al., The Road Less Scheduled, 2024.
    """

    def __init__(
        self, learning_rate: Any = 0.0025, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-8,
        warmup_steps: int = 0,
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
        self.warmup_steps = warmup_steps

    def build(self, var_list: Any) -> None:
        if self.built:
            return
        super().build(var_list)
        self._z, self._v = self.add_optimizer_variables(var_list, ("momentum", "velocity"), ("copy", "zeros"))

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        dtype = variable.dtype
        rate, gradient = ops.cast(learning_rate, dtype), ops.cast(gradient, dtype)
        step = ops.cast(ops.add(self.iterations, 1), dtype)
        if self.warmup_steps:
            rate = ops.multiply(rate, ops.minimum(1.0, ops.divide(step, float(self.warmup_steps))))
        i = self._index(variable)
        z, v = self._z[i], self._v[i]
        y, old_z = variable.value, z.value
        v.assign_add(ops.multiply(ops.subtract(ops.square(gradient), v), 1.0 - self.beta_2))
        spread = ops.sqrt(ops.divide(v, ops.subtract(1.0, ops.power(self.beta_2, step))))
        x = ops.divide(ops.subtract(y, ops.multiply(1.0 - self.beta_1, old_z)), self.beta_1)
        new_z = ops.subtract(old_z, ops.divide(ops.multiply(rate, gradient), ops.add(spread, self.epsilon)))
        share = ops.divide(1.0, step)
        x = ops.add(ops.multiply(ops.subtract(1.0, share), x), ops.multiply(share, new_z))
        z.assign(new_z)
        variable.assign(ops.add(ops.multiply(1.0 - self.beta_1, new_z), ops.multiply(self.beta_1, x)))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "warmup_steps": self.warmup_steps,
        }
