"""`LearningRateSchedule`: the learning rate as a function of the step."""

from __future__ import annotations

from typing import Any

from ksave import deserialize_keras_object, serialize_keras_object
from kspec import public


@public("keras.optimizers.schedules.LearningRateSchedule")
class LearningRateSchedule:
    """Base class: implement `__call__(step)` in ops, and `get_config`.

    Example:
        >>> class Root(keras.optimizers.schedules.LearningRateSchedule):
        ...     def __call__(self, step):
        ...         return 0.1 / keras.ops.sqrt(keras.ops.cast(step, "float32") + 1.0)
        ...     def get_config(self):
        ...         return {}
    """

    def __call__(self, step: Any) -> Any:
        """The learning rate at `step` (an integer tensor); to be implemented."""
        raise NotImplementedError(f"{type(self).__name__} must implement __call__(step).")

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments; to be implemented."""
        raise NotImplementedError(f"{type(self).__name__} must implement get_config() to be saved.")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A schedule from what `get_config` returned."""
        return cls(**config)


@public("keras.optimizers.schedules.serialize")
def serialize(learning_rate_schedule: Any) -> Any:
    """The config of a schedule."""
    return serialize_keras_object(learning_rate_schedule)


@public("keras.optimizers.schedules.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The schedule of a config."""
    return deserialize_keras_object(config, custom_objects=custom_objects, namespaces=("keras.optimizers.schedules",))
