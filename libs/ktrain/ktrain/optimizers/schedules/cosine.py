"""Schedules along a cosine, once or with restarts."""

from __future__ import annotations

import math
from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.schedules.decay import _positive
from ktrain.optimizers.schedules.schedule import LearningRateSchedule


def _half_cosine(done: Any) -> Any:
    """From 1 at `done = 0` to 0 at `done = 1`."""
    return ops.multiply(0.5, ops.add(1.0, ops.cos(ops.multiply(math.pi, done))))


@public("keras.optimizers.schedules.CosineDecay")
class CosineDecay(LearningRateSchedule):
    """Down along half a cosine, after an optional linear warm-up.

    Args:
        initial_learning_rate: at step 0.
        decay_steps: how long the descent takes.
        alpha: the rate at the end, as a fraction of that at the beginning of the descent.
        name: of the schedule.
        warmup_target: rate at the end of the warm-up; None for no warm-up.
        warmup_steps: how long the warm-up takes.

    Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, 2016.
    """

    def __init__(
        self, initial_learning_rate: float, decay_steps: int, alpha: float = 0.0, name: str = "CosineDecay",
        warmup_target: float | None = None, warmup_steps: int = 0,
    ) -> None:  # fmt: skip
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = _positive("decay_steps", decay_steps)
        self.alpha = alpha
        self.name = name
        self.warmup_target = warmup_target
        self.warmup_steps = warmup_steps

    def __call__(self, step: Any) -> Any:
        step = ops.cast(step, "float32")
        top = self.initial_learning_rate if self.warmup_target is None else self.warmup_target
        since = step if self.warmup_target is None else ops.subtract(step, float(self.warmup_steps))
        done = ops.clip(ops.divide(since, float(self.decay_steps)), 0.0, 1.0)
        down = ops.multiply(top, ops.add(ops.multiply(1.0 - self.alpha, _half_cosine(done)), self.alpha))
        if self.warmup_target is None or not self.warmup_steps:
            return down
        slope = (self.warmup_target - self.initial_learning_rate) / self.warmup_steps
        up = ops.add(self.initial_learning_rate, ops.multiply(slope, step))
        return ops.where(ops.less(step, float(self.warmup_steps)), up, down)

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "alpha": self.alpha,
            "name": self.name,
            "warmup_target": self.warmup_target,
            "warmup_steps": self.warmup_steps,
        }


@public("keras.optimizers.schedules.CosineDecayRestarts")
class CosineDecayRestarts(LearningRateSchedule):
    """Down along half a cosine again and again, each time longer and from less high.

    Args:
        initial_learning_rate: at step 0.
        first_decay_steps: length of the first descent.
        t_mul: each descent is so many times longer than the one before.
        m_mul: each descent starts at so many times the rate of the one before.
        alpha: the rate at the end, as a fraction of `initial_learning_rate`.
        name: of the schedule.

    Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, 2016.
    """

    def __init__(
        self, initial_learning_rate: float, first_decay_steps: int, t_mul: float = 2.0, m_mul: float = 1.0,
        alpha: float = 0.0, name: str = "SGDRDecay",
    ) -> None:  # fmt: skip
        self.initial_learning_rate = initial_learning_rate
        self.first_decay_steps = _positive("first_decay_steps", first_decay_steps)
        self._t_mul = t_mul
        self._m_mul = m_mul
        self.alpha = alpha
        self.name = name

    def __call__(self, step: Any) -> Any:
        done = ops.divide(ops.cast(step, "float32"), float(self.first_decay_steps))
        if self._t_mul == 1.0:
            restart = ops.floor(done)
            done = ops.subtract(done, restart)
        else:
            # Restart i is at (1 - t^i) / (1 - t) first periods.
            t = self._t_mul
            restart = ops.floor(ops.divide(ops.log(ops.subtract(1.0, ops.multiply(done, 1.0 - t))), math.log(t)))
            length = ops.power(t, restart)
            begin = ops.divide(ops.subtract(1.0, length), 1.0 - t)
            done = ops.divide(ops.subtract(done, begin), length)
        height = ops.multiply(ops.power(self._m_mul, restart), _half_cosine(done))
        return ops.multiply(self.initial_learning_rate, ops.add(ops.multiply(1.0 - self.alpha, height), self.alpha))

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "first_decay_steps": self.first_decay_steps,
            "t_mul": self._t_mul,
            "m_mul": self._m_mul,
            "alpha": self.alpha,
            "name": self.name,
        }
