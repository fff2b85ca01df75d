"""The symbolic tensor: a shape, a dtype, and the operation that makes it."""

from __future__ import annotations

from typing import Any

import kops
from kops.dtypes import standardize_dtype
from kops.naming import auto_name
from kops.operators import Operators
from kops.shapes import Shape, standardize_shape
from kspec import public


@public("keras.KerasTensor")
class KerasTensor(Operators):
    """A tensor without values, from which functional models are built.

    Args:
        shape: dimensions, None where unknown.
        dtype: dtype name.
        sparse: whether the value will be a sparse tensor of the engine.
        ragged: whether the value will be a ragged tensor (TensorFlow).
        record_history: whether operations on it leave nodes.
        name: optional; generated when left out.
        **kwargs: `ragged_rank` and `row_splits_dtype`.

    Example:
        >>> x = KerasTensor((None, 3))
        >>> (x + 1).shape
        (None, 3)
    """

    def __init__(
        self,
        shape: Any,
        dtype: Any = "float32",
        sparse: bool = False,
        ragged: bool = False,
        record_history: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        ragged_rank = kwargs.pop("ragged_rank", None)
        row_splits_dtype = kwargs.pop("row_splits_dtype", None)
        if kwargs:
            raise TypeError(f"KerasTensor got unknown arguments: {', '.join(kwargs)}.")
        if sparse and ragged:
            raise ValueError("A KerasTensor is sparse or ragged, not both.")
        self.shape: Shape = standardize_shape(shape)
        self.dtype = standardize_dtype(dtype)
        self.sparse = bool(sparse)
        self.ragged = bool(ragged)
        self.ragged_rank = ragged_rank
        self.row_splits_dtype = row_splits_dtype
        self.record_history = record_history
        self._name = name

    @property
    def name(self) -> str:
        if self._name is None:
            self._name = auto_name("keras_tensor")
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def reshape(self, newshape: Any) -> Any:
        """`ops.reshape(self, newshape)`."""

        return kops.reshape(self, newshape)

    def squeeze(self, axis: Any = None) -> Any:
        """`ops.squeeze(self, axis)`."""

        return kops.squeeze(self, axis)

    def __repr__(self) -> str:
        return f"<KerasTensor shape={self.shape}, dtype={self.dtype}, sparse={self.sparse}, name={self.name}>"

    def _no_value(self, wanted: str) -> TypeError:
        return TypeError(
            f"{self!r} is symbolic: it has no value, so it cannot become {wanted}. It stands for the result of a "
            "layer or op while a functional model is being built. Use keras.ops, which take symbolic tensors, "
            "or put the computation into a layer's call()."
        )

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise self._no_value("a NumPy array")

    def __jax_array__(self) -> Any:
        raise self._no_value("a JAX array")

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        raise self._no_value("a TensorFlow tensor")

    def __bool__(self) -> bool:
        raise self._no_value("a bool (as `if` and `while` need; use ops.cond or ops.where)")

    def __int__(self) -> int:
        raise self._no_value("an int")

    def __float__(self) -> float:
        raise self._no_value("a float")

    def __iter__(self) -> Any:
        raise self._no_value("an iterator (use ops.unstack)")


# `==` on symbolic tensors means identity: they live in lists and dictionaries of graphs.
KerasTensor.__eq__ = object.__eq__  # type: ignore[method-assign]
KerasTensor.__hash__ = object.__hash__  # type: ignore[method-assign]


def fresh(x: Any) -> Any:
    """A symbolic tensor like this one, that comes from nowhere yet; what is none, as it is."""
    return KerasTensor(x.shape, x.dtype, sparse=x.sparse, ragged=x.ragged) if isinstance(x, KerasTensor) else x


def any_symbolic(*values: Any) -> bool:
    """Whether a KerasTensor stands anywhere in these (nested) values."""
    for value in values:
        if isinstance(value, KerasTensor):
            return True
        if isinstance(value, (list, tuple)):
            if any_symbolic(*value):
                return True
        elif isinstance(value, dict) and any_symbolic(*value.values()):
            return True
    return False


@public("keras.utils.is_keras_tensor", "keras.backend.is_keras_tensor")
def is_keras_tensor(x: Any) -> bool:
    """Whether `x` is a symbolic tensor."""
    return isinstance(x, KerasTensor)
