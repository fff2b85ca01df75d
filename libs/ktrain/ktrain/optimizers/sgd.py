"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.SGD")
class SGD(Optimizer):
    """`variable -= learning_rate * gradient`, with `momentum` along the running direction.

    Args:
        learning_rate: a number, a schedule or a callable.
        momentum: how much of the last step is repeated.
        nesterov: look ahead along the momentum.
        weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name: see `keras.Optimizer`.

    Sutskever et al., On the importance of initialization and momentum in deep learning, 2013.
    """

    def __init__(
        self, learning_rate: Any = 0.01,
        momentum: float = 0.0, nesterov: bool = False,
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
        self.momentum = momentum
        self.nesterov = nesterov

    def build(self, variables: Any) -> None:
        if self.built:
            return
        super().build(variables)
        self._momentums = self.add_optimizer_variables(variables, "momentum") if self.momentum else []

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        step = ops.multiply(gradient, rate)
        if not self.momentum:
            variable.assign_sub(step)
            return
        slot = self._momentums[self._index(variable)]
        velocity = ops.subtract(ops.multiply(slot, self.momentum), step)
        slot.assign(velocity)
        if self.nesterov:
            velocity = ops.subtract(ops.multiply(velocity, self.momentum), step)
        variable.assign_add(velocity)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "momentum": self.momentum, "nesterov": self.nesterov}
