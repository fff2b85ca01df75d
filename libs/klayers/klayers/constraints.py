"""Projections that are applied to weights after each update."""

from __future__ import annotations

from typing import Any

import kops
from klayers.by_name import ByName
from kops.config import settings
from kspec import public


@public("keras.constraints.Constraint")
class Constraint:
    """A function of a weight that returns its projection, of the same shape and dtype.

    Subclasses write `__call__(w)` and, to be saved, `get_config()`. The base class projects nothing.

    Example:
        >>> class Capped(Constraint):
        ...     def __call__(self, w):
        ...         return keras.ops.clip(w, -1.0, 1.0)
    """

    def __call__(self, w: Any) -> Any:
        """The projection of `w`."""
        return w

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A constraint from what `get_config` returned."""
        return cls(**config)


def _axis(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def _norm(w: Any, axis: Any) -> Any:
    return kops.sqrt(kops.sum(kops.square(w), axis=_axis(axis), keepdims=True))


def _rescaled(w: Any, norm: Any, wanted: Any) -> Any:
    return kops.multiply(w, kops.divide(wanted, kops.add(norm, settings.epsilon)))


@public("keras.constraints.MaxNorm", "keras.constraints.max_norm")
class MaxNorm(Constraint):
    """Scales vectors of weights down to a largest norm.

    Args:
        max_value: the largest norm.
        axis: the axis or axes along which a vector lies: 0 for a Dense kernel `(input, units)`, `[0, 1, 2]`
            for a Conv2D kernel `(rows, cols, channels, filters)`.

    Source: Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", 2014.
    """

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value = max_value
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        norm = _norm(w, self.axis)
        return _rescaled(w, norm, kops.clip(norm, 0, self.max_value))

    def get_config(self) -> dict[str, Any]:
        return {"max_value": self.max_value, "axis": self.axis}


@public("keras.constraints.NonNeg", "keras.constraints.non_neg")
class NonNeg(Constraint):
    """Sets negative weights to zero."""

    def __call__(self, w: Any) -> Any:
        return kops.maximum(w, 0)


@public("keras.constraints.UnitNorm", "keras.constraints.unit_norm")
class UnitNorm(Constraint):
    """Scales vectors of weights to norm one; vectors of zeros stay.

    Args:
        axis: as for `MaxNorm`.
    """

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        return kops.divide(w, kops.add(_norm(w, self.axis), settings.epsilon))

    def get_config(self) -> dict[str, Any]:
        return {"axis": self.axis}


@public("keras.constraints.MinMaxNorm", "keras.constraints.min_max_norm")
class MinMaxNorm(Constraint):
    """Scales vectors of weights towards a range of norms.

    Args:
        min_value, max_value: the range.
        rate: how far a norm outside moves towards the range at each update: 1 is all the way.
        axis: as for `MaxNorm`.
    """

    def __init__(self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0) -> None:
        self.min_value = min_value
        self.max_value = max_value
        self.rate = rate
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        norm = _norm(w, self.axis)
        inside = kops.clip(norm, self.min_value, self.max_value)
        moved = kops.add(kops.multiply(inside, self.rate), kops.multiply(norm, 1 - self.rate))
        return _rescaled(w, norm, moved)

    def get_config(self) -> dict[str, Any]:
        return {"min_value": self.min_value, "max_value": self.max_value, "rate": self.rate, "axis": self.axis}


_CONSTRAINTS = ByName("constraint", "keras.constraints", (Constraint, MaxNorm, NonNeg, UnitNorm, MinMaxNorm))


@public("keras.constraints.serialize")
def serialize(constraint: Any) -> Any:
    """A constraint as plain data."""
    return _CONSTRAINTS.serialize(constraint)


@public("keras.constraints.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """A constraint from plain data."""
    return _CONSTRAINTS.deserialize(config, custom_objects)


@public("keras.constraints.get")
def get(identifier: Any) -> Any:
    """A constraint from its name, config, class, or itself; None stays None.

    Raises:
        ValueError: when the identifier means none.

    Example:
        >>> get("max_norm").max_value
        2
    """
    return _CONSTRAINTS.get(identifier)
