"""Dynamic loss scaling, for float16 gradients that would vanish."""

from __future__ import annotations

from typing import Any

import kops as ops
from ksave import deserialize_keras_object, serialize_keras_object
from kspec import public
from ktrain.optimizers.conditional import update_if
from ktrain.optimizers.gradients import all_finite
from ktrain.optimizers.optimizer import Optimizer, _unique


@public("keras.optimizers.LossScaleOptimizer", "keras.mixed_precision.LossScaleOptimizer")
class LossScaleOptimizer(Optimizer):
    """Multiplies the loss by a scale and divides the gradients by it.

    The scale doubles after `dynamic_growth_steps` steps with finite gradients. A step whose gradients are not finite is
    left out and the scale halves. `compile` wraps optimizers in it under the policy "mixed_float16".

    Args:
        inner_optimizer: makes the updates.
        initial_scale: see above.
        dynamic_growth_steps: see above.
        name: default the class's name.
    """

    def __init__(
        self, inner_optimizer: Any, initial_scale: float = 32768.0, dynamic_growth_steps: int = 2000,
        name: str | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        if not kwargs.pop("dynamic", True):
            raise ValueError("dynamic=False is not an argument any more; use loss_scale_factor of the optimizer.")
        if not isinstance(inner_optimizer, Optimizer):
            raise TypeError(f"inner_optimizer is an Optimizer, not {inner_optimizer!r}.")
        for argument in ("weight_decay", "clipnorm", "clipvalue", "global_clipnorm", "use_ema", "loss_scale_factor"):
            if kwargs.get(argument):
                raise ValueError(f"Give {argument} to the inner optimizer.")
        super().__init__(learning_rate=0.0, name=name)
        self.inner_optimizer = inner_optimizer
        inner_optimizer._wrapped = True
        inner_optimizer.loss_scale_factor = None  # there is one scale, the dynamic one
        self.initial_scale = initial_scale
        self.dynamic_growth_steps = dynamic_growth_steps
        scale = float(initial_scale)
        self.step_counter = self.add_variable((), dtype="int", name="step_counter")
        self.dynamic_scale = self.add_variable(
            (), initializer=lambda shape, dtype=None: scale, dtype="float32", name="dynamic_scale"
        )

    def build(self, var_list: Any) -> None:
        """Build the inner optimizer."""
        if self.built:
            return
        self.inner_optimizer.build(var_list)
        self._trainable_variables = list(var_list)
        self._places = {id(v): i for i, v in enumerate(self._trainable_variables)}
        self.built = True

    @property
    def variables(self) -> list[Any]:
        """Its own variables, then those of the inner optimizer."""
        return [*self._variables, *self.inner_optimizer.variables]

    def _filed(self) -> list[Any]:
        return [*self._variables, *self.inner_optimizer._filed()]

    @property
    def iterations(self) -> Any:
        """How many updates the inner optimizer made."""
        return self.inner_optimizer.iterations

    @property
    def learning_rate(self) -> Any:
        """That of the inner optimizer."""
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        self.inner_optimizer.learning_rate = learning_rate

    def scale_loss(self, loss: Any) -> Any:
        """The loss times the current scale."""
        scale = self.dynamic_scale.value if self.built else self.initial_scale
        return self.inner_optimizer.scale_loss(ops.multiply(loss, ops.cast(scale, loss.dtype)))

    def check_finite(self, grads: Any) -> Any:
        """Whether no gradient holds NaN or infinity."""
        return all_finite(list(grads))

    def apply(self, grads: Any, trainable_variables: Any = None) -> None:
        """Update variables; for the arguments see `Optimizer.apply`."""
        grads = list(grads)
        if trainable_variables is None:
            if not self.built:
                raise ValueError(f"{self.name} has no variables yet: pass trainable_variables, or call build().")
            trainable_variables = self._trainable_variables
        variables = list(trainable_variables)
        if not self.built:
            self.build(variables)

        def update() -> None:
            scale = self.dynamic_scale.value
            scaled = [None if g is None else ops.divide(g, ops.cast(scale, g.dtype)) for g in grads]
            self.inner_optimizer.apply(scaled, variables)
            grown = ops.equal(self.step_counter, self.dynamic_growth_steps - 1)
            self.dynamic_scale.assign(ops.where(grown, ops.multiply(scale, 2.0), scale))
            self.step_counter.assign(ops.where(grown, 0, ops.add(self.step_counter, 1)))

        def leave_out() -> None:
            self.step_counter.assign(0)
            self.dynamic_scale.assign(ops.multiply(self.dynamic_scale, 0.5))

        update_if(self.check_finite(grads), update, leave_out, _unique([*variables, *self.variables]))

    def finalize_variable_values(self, var_list: Any) -> None:
        """That of the inner optimizer."""
        self.inner_optimizer.finalize_variable_values(var_list)

    def get_config(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "inner_optimizer": serialize_keras_object(self.inner_optimizer),
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.dynamic_growth_steps,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
        inner = deserialize_keras_object(config["inner_optimizer"], custom_objects=custom_objects)
        return cls(**{**config, "inner_optimizer": inner})
