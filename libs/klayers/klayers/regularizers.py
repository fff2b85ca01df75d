"""Penalties on weights or outputs, added to the loss during training."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import kops
from klayers.by_name import ByName
from kspec import public


@public("keras.Regularizer", "keras.regularizers.Regularizer")
class Regularizer:
    """A function of a tensor whose scalar result is added to the loss.

    Subclasses write `__call__(x)` and, to be saved, `get_config()`.

    Example:
        >>> class Halves(Regularizer):
        ...     def __call__(self, x):
        ...         return 0.5 * keras.ops.sum(x * x)
    """

    def __call__(self, x: Any) -> Any:
        """The penalty for a tensor of any shape, a scalar of its dtype."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__(x).")

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        raise NotImplementedError(f"{type(self).__name__} must define get_config() to be saved.")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A regularizer from what `get_config` returned."""
        return cls(**config)


def _strength(value: Any, name: str, default: float) -> float:
    if value is None:
        return default
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 <= number < math.inf:  # false for nan too
        raise ValueError(f"{name} must be a non-negative finite number, not {value!r}.")
    return number


def _single(value: float) -> float:
    # Files carry the strengths of these classes in single precision.
    return float(np.float32(value))


@public("keras.regularizers.L1", "keras.regularizers.l1")
class L1(Regularizer):
    """`l1 * sum(|x|)`: pushes weights to exactly zero.

    Args:
        l1: strength, not negative.

    Example:
        >>> float(L1(0.5)(keras.ops.array([1.0, -3.0])))
        2.0
    """

    def __init__(self, l1: float = 0.01) -> None:
        self.l1 = _strength(l1, "l1", 0.01)

    def __call__(self, x: Any) -> Any:
        return kops.multiply(kops.sum(kops.absolute(x)), self.l1)

    def get_config(self) -> dict[str, Any]:
        return {"l1": _single(self.l1)}


@public("keras.regularizers.L2", "keras.regularizers.l2")
class L2(Regularizer):
    """`l2 * sum(x ** 2)`: keeps weights small.

    Args:
        l2: strength, not negative.

    Example:
        >>> float(L2(0.5)(keras.ops.array([1.0, -3.0])))
        5.0
    """

    def __init__(self, l2: float = 0.01) -> None:
        self.l2 = _strength(l2, "l2", 0.01)

    def __call__(self, x: Any) -> Any:
        return kops.multiply(kops.sum(kops.square(x)), self.l2)

    def get_config(self) -> dict[str, Any]:
        return {"l2": self.l2}


@public("keras.regularizers.L1L2", "keras.regularizers.l1_l2")
class L1L2(Regularizer):
    """`l1 * sum(|x|) + l2 * sum(x ** 2)` (the elastic net).

    Args:
        l1, l2: strengths, not negative; a term of strength zero is not computed.

    Source: Zou and Hastie, "Regularization and variable selection via the elastic net", 2005.
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1 = _strength(l1, "l1", 0.0)
        self.l2 = _strength(l2, "l2", 0.0)

    def __call__(self, x: Any) -> Any:
        if not self.l1:
            return L2.__call__(self, x)  # type: ignore[arg-type]
        penalty = L1.__call__(self, x)  # type: ignore[arg-type]
        return kops.add(penalty, L2.__call__(self, x)) if self.l2 else penalty  # type: ignore[arg-type]

    def get_config(self) -> dict[str, Any]:
        return {"l1": self.l1, "l2": self.l2}


@public("keras.regularizers.OrthogonalRegularizer", "keras.regularizers.orthogonal_regularizer")
class OrthogonalRegularizer(Regularizer):
    """Pushes the rows (or columns) of a matrix to be orthogonal to each other.

    The penalty is `factor` times the mean, over all pairs of different rows, of the absolute cosine between
    them.

    Args:
        factor: strength, not negative.
        mode: "rows" or "columns".

    Raises:
        ValueError: when called on a tensor that is not a matrix.
    """

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        if mode not in ("rows", "columns"):
            raise ValueError(f"mode must be 'rows' or 'columns', not {mode!r}.")
        self.factor = _strength(factor, "factor", 0.01)
        self.mode = mode

    def __call__(self, inputs: Any) -> Any:
        if len(inputs.shape) != 2:
            raise ValueError(
                f"OrthogonalRegularizer takes a matrix (2 axes), not a tensor of shape {tuple(inputs.shape)}."
            )
        rows = inputs if self.mode == "rows" else kops.transpose(inputs)
        size = rows.shape[0]
        length = kops.sqrt(kops.sum(kops.square(rows), axis=1, keepdims=True))
        # A row of zeros is orthogonal to every other.
        unit = rows / kops.maximum(length, 1e-6)
        cosines = kops.absolute(kops.matmul(unit, kops.transpose(unit)))
        pairs = max(size * (size - 1) / 2, 1)
        others = kops.subtract(1.0, kops.eye(size, dtype=cosines.dtype))
        return kops.multiply(kops.sum(kops.multiply(cosines, others)), 0.5 * self.factor / pairs)

    def get_config(self) -> dict[str, Any]:
        return {"factor": _single(self.factor), "mode": self.mode}


_REGULARIZERS = ByName(
    "regularizer", "keras.regularizers", (Regularizer, L1, L2, L1L2, OrthogonalRegularizer), l1=L1, l2=L2, l1_l2=L1L2
)


@public("keras.regularizers.serialize")
def serialize(regularizer: Any) -> Any:
    """A regularizer as plain data."""
    return _REGULARIZERS.serialize(regularizer)


@public("keras.regularizers.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """A regularizer from plain data."""
    return _REGULARIZERS.deserialize(config, custom_objects)


@public("keras.regularizers.get")
def get(identifier: Any) -> Any:
    """A regularizer from its name, config, class, or itself; None stays None.

    Raises:
        ValueError: when the identifier means none.

    Example:
        >>> get("l2").l2
        0.01
    """
    return _REGULARIZERS.get(identifier)
