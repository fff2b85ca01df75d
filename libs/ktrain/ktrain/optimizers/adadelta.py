"""Adadelta."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.Adadelta")
class Adadelta(Optimizer):
    """Steps whose size is the running root mean square of earlier steps, relative to that of gradients.

    Args:
        learning_rate: a number, a schedule or a callable.
        rho: how slowly the means of squares change.
        epsilon: added to the means, against division by zero.
        weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name: see `keras.Optimizer`.

    Zeiler, ADADELTA: An Adaptive Learning Rate Method, 2012.
    """

    def __init__(
        self, learning_rate: Any = 0.001,
        rho: float = 0.95, epsilon: float = 1e-7,
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
        self.epsilon = epsilon

    def build(self, var_list: Any) -> None:
        if self.built:
            return
        super().build(var_list)
        self._squares, self._steps = self.add_optimizer_variables(
            var_list, ("accumulated_grad", "accumulated_delta_var")
        )

    def update_step(self, grad: Any, variable: Any, learning_rate: Any) -> None:
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(grad, variable.dtype)
        i = self._index(variable)
        squares, steps = self._squares[i], self._steps[i]
        rms = lambda x: ops.sqrt(ops.add(x, self.epsilon))
        mix = lambda old, new: ops.add(ops.multiply(self.rho, old), ops.multiply(1.0 - self.rho, ops.square(new)))
        squares.assign(mix(squares, gradient))
        step = ops.divide(ops.multiply(rms(steps), gradient), rms(squares))
        steps.assign(mix(steps, step))
        variable.assign_sub(ops.multiply(rate, step))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rho": self.rho, "epsilon": self.epsilon}
