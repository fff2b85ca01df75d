"""How often predictions equal labels."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops.config import settings
from kspec import public
from ktrain.losses.alignment import as_float_pair, match_ranks
from ktrain.metrics.errors import _NamedMean


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where label and prediction are equal."""
    y_pred = ops.convert_to_tensor(y_pred)
    y_true = ops.cast(ops.convert_to_tensor(y_true), y_pred.dtype)
    y_true, y_pred = match_ranks(y_true, y_pred)
    return ops.cast(ops.equal(y_true, y_pred), settings.floatx)


@public("keras.metrics.binary_accuracy")
def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """How often `y_pred > threshold` equals the label, for each value.

    Args:
        y_true: 0 or 1, `(batch, ...)`.
        y_pred: probabilities, like `y_true`.
    """
    y_true, y_pred = as_float_pair(y_true, y_pred)
    decided = ops.cast(ops.greater(y_pred, threshold), y_true.dtype)
    return ops.cast(ops.equal(y_true, decided), settings.floatx)


def _class_hits(numbers: Any, y_pred: Any) -> Any:
    """1 where the highest score is that of the class with this number."""
    return ops.cast(
        ops.equal(ops.cast(numbers, "int32"), ops.cast(ops.argmax(y_pred, axis=-1), "int32")), settings.floatx
    )


def _numbers_of(y_true: Any, y_pred: Any) -> Any:
    """Labels as `(batch, ...)` class numbers, whether or not they came with a last axis of size 1."""
    y_true = ops.convert_to_tensor(y_true)
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1:
        return ops.squeeze(y_true, -1)
    return y_true


@public("keras.metrics.categorical_accuracy")
def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the class with the highest score is the one-hot label's.

    Args:
        y_true: one-hot labels, `(batch, ..., classes)`.
        y_pred: scores, like `y_true`.
    """
    return _class_hits(ops.argmax(ops.convert_to_tensor(y_true), axis=-1), ops.convert_to_tensor(y_pred))


@public("keras.metrics.sparse_categorical_accuracy")
def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the class with the highest score is the label.

    Args:
        y_true: class numbers, `(batch, ...)` or `(batch, ..., 1)`.
        y_pred: scores, `(batch, ..., classes)`.
    """
    y_pred = ops.convert_to_tensor(y_pred)
    return _class_hits(_numbers_of(y_true, y_pred), y_pred)


@public("keras.metrics.top_k_categorical_accuracy")
def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """1 where the one-hot label's class is among the `k` highest scores."""
    numbers = ops.argmax(ops.convert_to_tensor(y_true), axis=-1)
    return sparse_top_k_categorical_accuracy(numbers, y_pred, k)


@public("keras.metrics.sparse_top_k_categorical_accuracy")
def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5, from_sorted_ids: bool = False) -> Any:
    """1 where the label is among the `k` highest scores.

    Args:
        y_true: class numbers, `(batch, ...)` or `(batch, ..., 1)`.
        y_pred: scores, `(batch, ..., classes)`; with `from_sorted_ids` the class numbers, best first.
    """
    y_pred = ops.convert_to_tensor(y_pred)
    numbers = ops.cast(_numbers_of(y_true, y_pred), "int32")
    if from_sorted_ids:
        best = ops.cast(y_pred[..., :k], "int32")
        hit = ops.any(ops.equal(ops.expand_dims(numbers, -1), best), axis=-1)
        return ops.cast(hit, settings.floatx)
    hit = ops.in_top_k(ops.reshape(numbers, (-1,)), ops.reshape(y_pred, (-1, y_pred.shape[-1])), k=k)
    return ops.reshape(ops.cast(hit, settings.floatx), ops.shape(numbers))


@public("keras.metrics.Accuracy")
class Accuracy(_NamedMean):
    """How often predictions equal labels.

    Example:
        >>> m = Accuracy(); m.update_state([1, 2], [1, 3]); float(m.result())
        0.5
    """

    def __init__(self, name: str = "accuracy", dtype: Any = None) -> None:
        super().__init__(accuracy, name, dtype)
        self._direction = "up"


@public("keras.metrics.BinaryAccuracy")
class BinaryAccuracy(_NamedMean):
    """How often predictions are on the label's side of `threshold`, which is 0 for logits."""

    def __init__(self, name: str = "binary_accuracy", dtype: Any = None, threshold: float = 0.5) -> None:
        super().__init__(binary_accuracy, name, dtype, threshold=threshold)
        self.threshold = threshold
        self._direction = "up"

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "threshold": self.threshold}


@public("keras.metrics.CategoricalAccuracy")
class CategoricalAccuracy(_NamedMean):
    """How often the highest score is that of the one-hot label's class."""

    def __init__(self, name: str = "categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(categorical_accuracy, name, dtype)
        self._direction = "up"


@public("keras.metrics.SparseCategoricalAccuracy")
class SparseCategoricalAccuracy(_NamedMean):
    """How often the highest score is that of the class with the label's number."""

    def __init__(self, name: str = "sparse_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(sparse_categorical_accuracy, name, dtype)
        self._direction = "up"


@public("keras.metrics.TopKCategoricalAccuracy")
class TopKCategoricalAccuracy(_NamedMean):
    """How often the one-hot label's class is among the `k` highest scores."""

    def __init__(self, k: int = 5, name: str = "top_k_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(top_k_categorical_accuracy, name, dtype, k=k)
        self.k = k
        self._direction = "up"

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "k": self.k}


@public("keras.metrics.SparseTopKCategoricalAccuracy")
class SparseTopKCategoricalAccuracy(_NamedMean):
    """How often the class with the label's number is among the `k` highest scores."""

    def __init__(
        self, k: int = 5, name: str = "sparse_top_k_categorical_accuracy", dtype: Any = None,
        from_sorted_ids: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(sparse_top_k_categorical_accuracy, name, dtype, k=k, from_sorted_ids=from_sorted_ids)
        self.k = k
        self.from_sorted_ids = from_sorted_ids
        self._direction = "up"

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "k": self.k}
        return {**config, "from_sorted_ids": True} if self.from_sorted_ids else config
