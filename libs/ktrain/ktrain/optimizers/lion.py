"""Lion."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.Lion")
class Lion(Optimizer):
    """Steps of one size in each coordinate: the sign of a mix of momentum and gradient.

    Args:
        learning_rate: a number, a schedule or a callable.
        beta_1: share of the momentum in the mix.
        beta_2: how slowly the momentum changes.
        weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name: see `keras.Optimizer`.

    Chen et al., Symbolic Discovery of Optimization Algorithms, 2023.
    """

    def __init__(
        self, learning_rate: Any = 0.001,
        beta_1: float = 0.9, beta_2: float = 0.99,
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

    def build(self, var_list: Any) -> None:
        if self.built:
            return
        super().build(var_list)
        self._momentums = self.add_optimizer_variables(var_list, "momentum")

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        m = self._momentums[self._index(variable)]
        mixed = lambda beta: ops.add(ops.multiply(m, beta), ops.multiply(gradient, 1.0 - beta))
        variable.assign_sub(ops.multiply(rate, ops.sign(mixed(self.beta_1))))
        m.assign(mixed(self.beta_2))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "beta_1": self.beta_1, "beta_2": self.beta_2}
