"""Nadam."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops as ops
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.Nadam")
class Nadam(Optimizer):
    """Adam with Nesterov momentum.

    Args:
        learning_rate: a number, a schedule or a callable.
        beta_1: how slowly the mean of gradients changes.
        beta_2: how slowly the mean of squared gradients changes.
        epsilon: added to the root, against division by zero.
        weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name: see `keras.Optimizer`.

    Dozat, Incorporating Nesterov Momentum into Adam, 2015.
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
        # The product of the momentum factors so far.
        self._product = self.add_variable((), "ones", self._rate_dtype(var_list), name="product")
        self._derived.append(self._product)

    @staticmethod
    def _rate_dtype(variables: Any) -> str:
        return variables[0].dtype if variables else "float32"

    def update_all(self, grads: list[Any], variables: list[Any], learning_rate: Any) -> None:
        dtype = self._product.dtype
        step = ops.cast(ops.add(self.iterations, 1), dtype)
        decayed = lambda at: ops.multiply(self.beta_1, ops.subtract(1.0, ops.multiply(0.5, ops.power(0.96, at))))
        now, following = decayed(step), decayed(ops.add(step, 1.0))
        product = ops.multiply(self._product, now)
        self._factors = (now, following, product, ops.multiply(product, following), ops.power(self.beta_2, step))
        self._product.assign(product)
        super().update_all(grads, variables, learning_rate)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        dtype = variable.dtype
        rate, gradient = ops.cast(learning_rate, dtype), ops.cast(gradient, dtype)
        now, following, product, next_product, power = (ops.cast(x, dtype) for x in self._factors)
        i = self._index(variable)
        m, v = self._m[i], self._v[i]
        m.assign_add(ops.multiply(ops.subtract(gradient, m), 1.0 - self.beta_1))
        v.assign_add(ops.multiply(ops.subtract(ops.square(gradient), v), 1.0 - self.beta_2))
        ahead = ops.divide(ops.multiply(following, m), ops.subtract(1.0, next_product))
        here = ops.divide(ops.multiply(ops.subtract(1.0, now), gradient), ops.subtract(1.0, product))
        spread = ops.sqrt(ops.divide(v, ops.subtract(1.0, power)))
        step = ops.multiply(rate, ops.add(ahead, here))
        variable.assign_sub(ops.divide(step, ops.add(spread, self.epsilon)))

    def load_own_variables(self, store: Any) -> None:
        """Read the state; files of a wrapped optimizer lack the product, which the number of steps tells."""
        super().load_own_variables(store)
        if self._wrapped:
            steps = np.arange(1, int(self._iterations.numpy()) + 1)
            self._product.assign(np.prod(self.beta_1 * (1.0 - 0.5 * 0.96**steps)))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon}
