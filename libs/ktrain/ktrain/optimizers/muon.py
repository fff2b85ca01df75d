"""Muon: orthogonalized momentum for matrices, Adam for everything else."""

from __future__ import annotations

import math
import re
from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.Muon")
class Muon(Optimizer):
    """Matrices move along their momentum made orthogonal; other variables by AdamW.

    Args:
        learning_rate: a number, a schedule or a callable.
        adam_beta_1, adam_beta_2, epsilon: of Adam.
        adam_weight_decay: weight decay of the variables that Adam updates.
        weight_decay: weight decay of the matrices.
        exclude_layers: regular expressions; variables whose path matches one are updated by Adam.
        exclude_embeddings: variables with "embedding" in their path are updated by Adam.
        muon_a, muon_b, muon_c: coefficients of the Newton-Schulz iteration.
        adam_lr_ratio: learning rate of Adam relative to `learning_rate`.
        momentum: how much of the last step is repeated.
        ns_steps: number of Newton-Schulz iterations.
        nesterov: look ahead along the momentum.
        rms_rate: scales updates to this share of Adam's usual size; None scales by the shape's aspect ratio.
        clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, loss_scale_factor,
            gradient_accumulation_steps, name: see `keras.Optimizer`.

    Jordan et al., Muon: An optimizer for hidden layers in neural networks, 2024.
    """

    def __init__(
        self, learning_rate: Any = 0.001, adam_beta_1: float = 0.9, adam_beta_2: float = 0.999,
        adam_weight_decay: float | None = 0.004, epsilon: float = 1e-7, weight_decay: float | None = 0.004,
        clipnorm: float | None = None, clipvalue: float | None = None, global_clipnorm: float | None = None,
        use_ema: bool = False, ema_momentum: float = 0.99, ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None, gradient_accumulation_steps: int | None = None,
        name: str | None = None, exclude_layers: Any = None, exclude_embeddings: bool = True,
        muon_a: float = 3.4445, muon_b: float = -4.775, muon_c: float = 2.0315, adam_lr_ratio: float = 1,
        momentum: float = 0.95, ns_steps: int = 5, nesterov: bool = True, rms_rate: float | None = 0.2, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            learning_rate=learning_rate, weight_decay=weight_decay, clipnorm=clipnorm, clipvalue=clipvalue,
            global_clipnorm=global_clipnorm, use_ema=use_ema, ema_momentum=ema_momentum,
            ema_overwrite_frequency=ema_overwrite_frequency, loss_scale_factor=loss_scale_factor,
            gradient_accumulation_steps=gradient_accumulation_steps, name=name, **kwargs,
        )  # fmt: skip
        self.adam_beta_1 = adam_beta_1
        self.adam_beta_2 = adam_beta_2
        self.adam_weight_decay = adam_weight_decay
        self.epsilon = epsilon
        self.exclude_layers = list(exclude_layers or [])
        self.exclude_embeddings = exclude_embeddings
        self.muon_a = muon_a
        self.muon_b = muon_b
        self.muon_c = muon_c
        self.adam_lr_ratio = adam_lr_ratio
        self.momentum = momentum
        self.ns_steps = ns_steps
        self.nesterov = nesterov
        self.rms_rate = rms_rate

    def _by_adam(self, variable: Any) -> bool:
        if len(variable.shape) != 2:
            return True
        path = variable.path
        if self.exclude_embeddings and "embedding" in path.lower():
            return True
        return any(re.search(pattern, path) for pattern in self.exclude_layers)

    def build(self, var_list: Any) -> None:
        if self.built:
            return
        super().build(var_list)
        self._momentums: list[Any] = []
        self._velocities: list[Any] = []
        for variable in var_list:
            own = not variable.overwrite_with_gradient
            adam = own and self._by_adam(variable)
            self._momentums.append(self.add_variable_from_reference(variable, "momentum") if own else None)
            self._velocities.append(self.add_variable_from_reference(variable, "velocity") if adam else None)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        if self._by_adam(variable):
            self._adam_step(gradient, variable, ops.multiply(learning_rate, self.adam_lr_ratio))
        else:
            self._muon_step(gradient, variable, learning_rate)

    def _muon_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        rate, gradient = ops.cast(learning_rate, variable.dtype), ops.cast(gradient, variable.dtype)
        m = self._momentums[self._index(variable)]
        m.assign(ops.add(gradient, ops.multiply(m, self.momentum)))
        direction = ops.add(gradient, ops.multiply(m, self.momentum)) if self.nesterov else m.value
        update = self.zeropower_via_newtonschulz5(direction, self.ns_steps)
        variable.assign_sub(ops.multiply(self.lr_adjust(update), rate))

    def _adam_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        dtype = variable.dtype
        rate, gradient = ops.cast(learning_rate, dtype), ops.cast(gradient, dtype)
        step = ops.cast(ops.add(self.iterations, 1), dtype)
        i = self._index(variable)
        m, v = self._momentums[i], self._velocities[i]
        m.assign_add(ops.multiply(ops.subtract(gradient, m), 1.0 - self.adam_beta_1))
        v.assign_add(ops.multiply(ops.subtract(ops.square(gradient), v), 1.0 - self.adam_beta_2))
        correction = ops.divide(
            ops.sqrt(ops.subtract(1.0, ops.power(self.adam_beta_2, step))),
            ops.subtract(1.0, ops.power(self.adam_beta_1, step)),
        )
        step = ops.multiply(m, ops.multiply(rate, correction))
        variable.assign_sub(ops.divide(step, ops.add(ops.sqrt(v), self.epsilon)))

    def _decay(self, variables: list[Any], rate: Any) -> None:
        for variable in variables:
            by_adam = self._by_adam(variable)
            amount = self.adam_weight_decay if by_adam else self.weight_decay
            if amount is None or not self.decays(variable):
                continue
            factor = ops.cast(ops.multiply(rate, amount), variable.dtype)
            variable.assign_sub(ops.multiply(variable, factor))

    def lr_adjust(self, x: Any) -> Any:
        """The update scaled for its shape."""
        rows, columns = x.shape[0], x.shape[1]
        if self.rms_rate is None:
            return ops.multiply(x, math.sqrt(max(1.0, rows / columns)))
        return ops.multiply(x, self.rms_rate * math.sqrt(max(rows, columns)))

    def transpose_last_axis(self, X: Any) -> Any:
        """The matrix (or each matrix of a stack) transposed."""
        return ops.swapaxes(X, -1, -2)

    def zeropower_via_newtonschulz5(self, x: Any, steps: int) -> Any:
        """An almost orthogonal matrix with the singular vectors of `x`, by a quintic Newton-Schulz iteration."""
        tall = x.shape[0] > x.shape[1]
        if tall:
            x = self.transpose_last_axis(x)
        x = ops.divide(x, ops.add(ops.sqrt(ops.sum(ops.square(x))), 1e-7))
        for _ in range(steps):
            square = ops.matmul(x, self.transpose_last_axis(x))
            poly = ops.add(ops.multiply(self.muon_b, square), ops.multiply(self.muon_c, ops.matmul(square, square)))
            x = ops.add(ops.multiply(self.muon_a, x), ops.matmul(poly, x))
        return self.transpose_last_axis(x) if tall else x

    def get_config(self) -> dict[str, Any]:
        names = (
            "adam_beta_1 adam_beta_2 epsilon exclude_layers muon_a muon_b muon_c adam_lr_ratio momentum ns_steps "
            "nesterov exclude_embeddings adam_weight_decay rms_rate"
        )
        return {**super().get_config(), **{name: getattr(self, name) for name in names.split()}}
