"""Adafactor."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops.variable import Variable
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.Adafactor")
class Adafactor(Optimizer):
    """Gradients divided by root mean squares of which, for matrices, only row and column means are kept.

    Args:
        learning_rate: a number, a schedule or a callable.
        beta_2_decay: power of the step at which the means of squares slow down.
        epsilon_1: added to squares, against division by zero.
        epsilon_2: the smallest size of a variable for relative steps.
        clip_threshold: largest root mean square of an update.
        relative_step: the rate is at most one over the root of the step.
        weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency,
            loss_scale_factor, gradient_accumulation_steps, name: see `keras.Optimizer`.

    Shazeer and Stern, Adafactor: Adaptive Learning Rates with Sublinear Memory Cost, 2018.
    """

    def __init__(
        self, learning_rate: Any = 0.001, beta_2_decay: float = -0.8, epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3, clip_threshold: float = 1.0, relative_step: bool = True,
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
        self.beta_2_decay = beta_2_decay
        self.epsilon_1 = epsilon_1
        self.epsilon_2 = epsilon_2
        self.clip_threshold = clip_threshold
        self.relative_step = relative_step

    def build(self, var_list: Any) -> None:
        if self.built:
            return
        super().build(var_list)
        self._rows: list[Variable] = []
        self._columns: list[Variable] = []
        self._velocities: list[Variable] = []
        for variable in var_list:
            shape, name = tuple(variable.shape), variable.path.replace("/", "_")
            if len(shape) >= 2:
                self._rows.append(self.add_variable(shape[:-1], dtype=variable.dtype, name=name))
                self._columns.append(self.add_variable((*shape[:-2], shape[-1]), dtype=variable.dtype, name=name))
            else:
                # Vectors have no factors; files have a place for them all the same.
                self._rows.append(self.add_variable((), dtype="int32", name=name))
                self._columns.append(self.add_variable((), dtype="int32", name=name))
                self._derived += [self._rows[-1], self._columns[-1]]
            self._velocities.append(self.add_variable_from_reference(variable, "velocity"))

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        dtype = variable.dtype
        rate, gradient = ops.cast(learning_rate, dtype), ops.cast(gradient, dtype)
        step = ops.cast(ops.add(self.iterations, 1), dtype)
        if not callable(self._schedule) and self.relative_step:
            rate = ops.minimum(rate, ops.rsqrt(step))
        i = self._index(variable)
        rms = lambda x: ops.sqrt(ops.mean(ops.square(x)))
        size = ops.maximum(self.epsilon_2, rms(variable.value))
        squares = ops.add(ops.square(gradient), self.epsilon_1)
        kept = ops.subtract(1.0, ops.power(step, self.beta_2_decay))
        mix = lambda old, new: ops.add(ops.multiply(kept, old), ops.multiply(ops.subtract(1.0, kept), new))
        v = self._velocities[i]
        if len(variable.shape) >= 2:
            row, column = self._rows[i], self._columns[i]
            row.assign(mix(row, ops.mean(squares, axis=-1)))
            column.assign(mix(column, ops.mean(squares, axis=-2)))
            relative = ops.divide(row, ops.mean(row.value, axis=-1, keepdims=True))
            v.assign(ops.multiply(ops.expand_dims(relative, -1), ops.expand_dims(column.value, -2)))
        else:
            v.assign(mix(v, squares))
        update = ops.multiply(gradient, ops.rsqrt(v.value))
        update = ops.divide(update, ops.maximum(1.0, ops.divide(rms(update), self.clip_threshold)))
        variable.assign_sub(ops.multiply(ops.multiply(size, rate), update))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "beta_2_decay": self.beta_2_decay,
            "epsilon_1": self.epsilon_1,
            "epsilon_2": self.epsilon_2,
            "clip_threshold": self.clip_threshold,
            "relative_step": self.relative_step,
        }
