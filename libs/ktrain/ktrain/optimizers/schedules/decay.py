"""Schedules that follow one curve: exponential, inverse time, piecewise constant, polynomial."""

from __future__ import annotations

from typing import Any

import kops as ops
from kspec import public
from ktrain.optimizers.schedules.schedule import LearningRateSchedule


def _periods(step: Any, decay_steps: Any, staircase: bool) -> Any:
    done = ops.divide(ops.cast(step, "float32"), decay_steps)
    return ops.floor(done) if staircase else done


def _positive(name: str, value: Any) -> Any:
    if value <= 0:
        raise ValueError(f"{name} must be positive, not {value}.")
    return value


@public("keras.optimizers.schedules.ExponentialDecay")
class ExponentialDecay(LearningRateSchedule):
    """`initial_learning_rate * decay_rate^(step / decay_steps)`.

    Args:
        initial_learning_rate: at step 0.
        decay_steps: after so many steps the rate is multiplied by `decay_rate`.
        decay_rate: see above.
        staircase: stay on one level for `decay_steps` steps.
        name: of the schedule.

    Example:
        >>> float(ExponentialDecay(0.1, 10, 0.5)(10))
        0.05
    """

    def __init__(
        self, initial_learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:  # fmt: skip
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = _positive("decay_steps", decay_steps)
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: Any) -> Any:
        power = ops.power(self.decay_rate, _periods(step, self.decay_steps, self.staircase))
        return ops.multiply(self.initial_learning_rate, power)

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "decay_rate": self.decay_rate,
            "staircase": self.staircase,
            "name": self.name,
        }


@public("keras.optimizers.schedules.InverseTimeDecay")
class InverseTimeDecay(LearningRateSchedule):
    """`initial_learning_rate / (1 + decay_rate * step / decay_steps)`. For the arguments see `ExponentialDecay`."""

    def __init__(
        self, initial_learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False,
        name: str = "InverseTimeDecay",
    ) -> None:  # fmt: skip
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = _positive("decay_steps", decay_steps)
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: Any) -> Any:
        periods = _periods(step, self.decay_steps, self.staircase)
        return ops.divide(self.initial_learning_rate, ops.add(1.0, ops.multiply(self.decay_rate, periods)))

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "decay_rate": self.decay_rate,
            "staircase": self.staircase,
            "name": self.name,
        }


@public("keras.optimizers.schedules.PiecewiseConstantDecay")
class PiecewiseConstantDecay(LearningRateSchedule):
    """`values[i]` from the step after `boundaries[i - 1]` up to and including `boundaries[i]`.

    Args:
        boundaries: increasing steps.
        values: one more than boundaries.
        name: of the schedule.
    """

    def __init__(self, boundaries: Any, values: Any, name: str = "PiecewiseConstant") -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                f"There must be one more value than boundaries, not {len(values)} values and "
                f"{len(boundaries)} boundaries."
            )
        self.boundaries = boundaries
        self.values = values
        self.name = name

    def __call__(self, step: Any) -> Any:
        step = ops.cast(step, "float32")
        rate: Any = ops.convert_to_tensor(self.values[0], dtype="float32")
        for boundary, value in zip(self.boundaries, self.values[1:]):
            rate = ops.where(ops.greater(step, float(boundary)), float(value), rate)
        return rate

    def get_config(self) -> dict[str, Any]:
        return {"boundaries": self.boundaries, "values": self.values, "name": self.name}


@public("keras.optimizers.schedules.PolynomialDecay")
class PolynomialDecay(LearningRateSchedule):
    """From `initial_learning_rate` to `end_learning_rate` along `(1 - step / decay_steps)^power`.

    Args:
        initial_learning_rate: at step 0.
        decay_steps: how long.
        end_learning_rate: afterwards.
        power: 1 is a straight line.
        cycle: instead of staying at the end rate, take the next multiple of `decay_steps` for the end.
        name: of the schedule.
    """

    def __init__(
        self, initial_learning_rate: float, decay_steps: int, end_learning_rate: float = 0.0001, power: float = 1.0,
        cycle: bool = False, name: str = "PolynomialDecay",
    ) -> None:  # fmt: skip
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = _positive("decay_steps", decay_steps)
        self.end_learning_rate = end_learning_rate
        self.power = power
        self.cycle = cycle
        self.name = name

    def __call__(self, step: Any) -> Any:
        step = ops.cast(step, "float32")
        length: Any = float(self.decay_steps)
        if self.cycle:
            length = ops.multiply(length, ops.maximum(1.0, ops.ceil(ops.divide(step, length))))
        else:
            step = ops.minimum(step, length)
        left = ops.power(ops.subtract(1.0, ops.divide(step, length)), self.power)
        return ops.add(ops.multiply(self.initial_learning_rate - self.end_learning_rate, left), self.end_learning_rate)

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "end_learning_rate": self.end_learning_rate,
            "power": self.power,
            "cycle": self.cycle,
            "name": self.name,
        }
