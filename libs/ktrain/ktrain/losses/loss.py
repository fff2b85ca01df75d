"""`Loss`: the base class of all losses."""

from __future__ import annotations

from typing import Any

import kops as ops
from klayers import masking
from kops import tree
from kops.config import settings
from kops.naming import auto_name
from kspec import public
from ktrain.losses.alignment import match_ranks
from ktrain.losses.reduction import check_reduction, reduce_weighted


def compute_dtype_of(dtype: Any) -> str:
    """The dtype name of a dtype, a dtype policy or None (`floatx`)."""
    if dtype is None:
        return settings.floatx
    if isinstance(dtype, dict):
        from ksave import deserialize_keras_object

        dtype = deserialize_keras_object(dtype)
    compute = getattr(dtype, "compute_dtype", None)
    if compute is not None:
        return compute
    if isinstance(dtype, str) and dtype.startswith("mixed_"):
        return dtype[len("mixed_") :]
    return ops.standardize_dtype(dtype)


def mask_of(x: Any) -> Any:
    """The mask that layers attached to a tensor, or None."""
    return masking.get_mask(x) if masking.in_use else None


@public("keras.Loss", "keras.losses.Loss")
class Loss:
    """Base class: implement `call(y_true, y_pred)`, which returns one value for each sample.

    Args:
        name: default the class's name.
        reduction: how the values become one number: "sum_over_batch_size" (the mean), "sum", "mean",
            "mean_with_sample_weight" (divide by the sum of the weights), "none" or None.
        dtype: of the computation; default `floatx`.

    Example:
        >>> class Cubed(keras.losses.Loss):
        ...     def call(self, y_true, y_pred):
        ...         return keras.ops.mean(keras.ops.abs(y_pred - y_true) ** 3, axis=-1)
    """

    labels_are_numbers = False
    """Labels name classes and keep their own dtype: not every class number exists in a low-precision float."""

    def __init__(self, name: str | None = None, reduction: str | None = "sum_over_batch_size", dtype: Any = None):
        check_reduction(reduction)
        self.name = name or auto_name(type(self).__name__)
        self.reduction = reduction
        self._dtype = compute_dtype_of(dtype)

    @property
    def dtype(self) -> str:
        """The dtype of the computation."""
        return self._dtype

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The reduced loss.

        Args:
            y_true: labels, `(batch, ...)`.
            y_pred: predictions, `(batch, ...)`.
            sample_weight: `(batch,)`, or one weight for each value of the unreduced loss.
        """
        dtype = self._dtype
        mask = mask_of(y_pred)
        y_true = _convert(y_true, None if self.labels_are_numbers else dtype)
        y_pred = _convert(y_pred, dtype)
        valid = self.valid(y_true)
        if valid is not None:
            mask = valid if mask is None else ops.logical_and(*match_ranks(mask, valid))
        values = self.call(y_true, y_pred)
        return reduce_weighted(values, sample_weight, mask, self.reduction, dtype)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each sample; to be implemented."""
        raise NotImplementedError(f"{type(self).__name__} must implement call(y_true, y_pred).")

    def valid(self, y_true: Any) -> Any:
        """Which labels count, as booleans; None for all."""
        return None

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments."""
        return {"name": self.name, "reduction": self.reduction}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A loss from what `get_config` returned."""
        return cls(**config)


def _convert(x: Any, dtype: str | None) -> Any:
    if tree.is_nested(x):
        return tree.map_structure(lambda leaf: ops.convert_to_tensor(leaf, dtype=dtype), x)
    return ops.convert_to_tensor(x, dtype=dtype)


class FunctionLoss(Loss):
    """A loss whose values a function gives; the base of the built-in losses."""

    def __init__(
        self, fn: Any, reduction: str | None = "sum_over_batch_size", name: str | None = None, dtype: Any = None,
        **fn_kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name or getattr(fn, "__name__", None), reduction, dtype)
        self.fn = fn
        self._fn_kwargs = fn_kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return self.fn(y_true, y_pred, **self._fn_kwargs)

    def get_config(self) -> dict[str, Any]:
        if type(self) is not FunctionLoss:
            return super().get_config()
        from ksave import serialize_keras_object

        arguments = {key: serialize_keras_object(value) for key, value in self._fn_kwargs.items()}
        return {**super().get_config(), "fn": serialize_keras_object(self.fn), **arguments}
