"""Means and sums over batches."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops.naming import auto_name
from ksave import deserialize_keras_object, serialize_keras_object
from kspec import public
from ktrain.losses.alignment import weights_like
from ktrain.losses.loss import mask_of
from ktrain.losses.reduction import count
from ktrain.metrics.metric import Metric


def weigh(values: Any, sample_weight: Any, dtype: str, mean: bool = True) -> tuple[Any, Any]:
    """Values times weights, and the weights that belong to them (None for ones).

    Weights of fewer axes than the values weigh whole samples: the values are first reduced to the weights' axes
    by their mean (or sum).
    """
    mask = mask_of(values)
    values = ops.convert_to_tensor(values, dtype=dtype)
    if mask is not None:
        mask = ops.cast(mask, dtype)
        sample_weight = mask if sample_weight is None else ops.multiply(
            weights_like(ops.convert_to_tensor(sample_weight, dtype=dtype), mask), mask
        )  # fmt: skip
    if sample_weight is None:
        return values, None
    sample_weight = ops.convert_to_tensor(sample_weight, dtype=dtype)
    rank_w, rank_v = len(sample_weight.shape), len(values.shape)
    if rank_w == rank_v + 1 and sample_weight.shape[-1] == 1:
        sample_weight = ops.squeeze(sample_weight, -1)
    elif rank_w < rank_v:
        reduce = ops.mean if mean else ops.sum
        values = reduce(values, axis=tuple(range(rank_w, rank_v)))
    sample_weight = weights_like(sample_weight, values)
    values = ops.multiply(values, sample_weight)
    if tuple(sample_weight.shape) != tuple(values.shape):
        sample_weight = ops.broadcast_to(sample_weight, ops.shape(values))
    return values, sample_weight


@public("keras.metrics.Sum")
class Sum(Metric):
    """The (weighted) sum of all values.

    Example:
        >>> m = Sum(); m.update_state([1.0, 2.0]); float(m.result())
        3.0
    """

    def __init__(self, name: str = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add `values` (any shape), weighed by `sample_weight` (of the same or a lower rank)."""
        values, _ = weigh(values, sample_weight, self._dtype, mean=False)
        self.total.assign_add(ops.sum(values))

    def reset_state(self) -> None:
        self.total.assign(0)

    def result(self) -> Any:
        return self.total.value


@public("keras.metrics.Mean")
class Mean(Metric):
    """The (weighted) mean of all values.

    Example:
        >>> m = Mean(); m.update_state([1.0, 2.0], [1.0, 3.0]); float(m.result())
        1.75
    """

    def __init__(self, name: str = "mean", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", name="total")
        self.count = self.add_variable((), "zeros", name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add `values` (any shape), weighed by `sample_weight` (of the same or a lower rank)."""
        values, weights = weigh(values, sample_weight, self._dtype)
        if len(values.shape) > 1:
            # One number for each sample, so that batches count by their samples, however they are weighed.
            axes = tuple(range(1, len(values.shape)))
            values = ops.mean(values, axis=axes)
            weights = weights if weights is None else ops.mean(weights, axis=axes)
        if len(values.shape):
            self.total.assign_add(ops.sum(values))
            self.count.assign_add(count(values) if weights is None else ops.sum(weights))
        else:
            self.total.assign_add(values)
            self.count.assign_add(1 if weights is None else weights)

    def reset_state(self) -> None:
        self.total.assign(0)
        self.count.assign(0)

    def result(self) -> Any:
        return ops.divide_no_nan(self.total.value, self.count.value)


@public("keras.metrics.MeanMetricWrapper")
class MeanMetricWrapper(Mean):
    """The mean of `fn(y_true, y_pred)` over all samples.

    Args:
        fn: a function of labels and predictions.
        name: default the function's name.
        dtype: of the state.
        **kwargs: further arguments of `fn`.
    """

    def __init__(self, fn: Any, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name or auto_name(type(self).__name__), dtype)
        self._fn = fn
        self._fn_kwargs = kwargs

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate one batch.

        Args:
            y_true: labels, `(batch, ...)`.
            y_pred: predictions, `(batch, ...)`.
            sample_weight: one weight for each sample or for each value of `fn`.
        """
        mask = mask_of(y_pred)
        values = self._fn(y_true, y_pred, **self._fn_kwargs)
        if mask is not None and sample_weight is not None:
            mask = ops.cast(mask, self._dtype)
            sample_weight = ops.multiply(
                weights_like(ops.convert_to_tensor(sample_weight, dtype=self._dtype), mask), mask
            )
        elif mask is not None:
            sample_weight = mask
        super().update_state(values, sample_weight)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        if type(self) is not MeanMetricWrapper:
            return config
        arguments = {key: serialize_keras_object(value) for key, value in self._fn_kwargs.items()}
        return {**config, "fn": serialize_keras_object(self._fn), **arguments}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        if "fn" in config:
            from ktrain import lookup
            from ktrain.metrics.identifiers import ALIASES

            fn = config["fn"]
            config = deserialize_keras_object({k: v for k, v in config.items() if k != "fn"})
            if isinstance(fn, str):
                fn = lookup.by_name("metric", "keras.metrics", fn, ALIASES)
            else:
                fn = deserialize_keras_object(fn, namespaces=("keras.metrics", "keras.losses"))
            return cls(fn=fn, **config)
        return cls(**config)
