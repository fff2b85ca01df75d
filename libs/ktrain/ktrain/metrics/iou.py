"""Intersection over union of segmentations."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops.config import settings
from ksave import claim_variable
from kspec import public
from ktrain.losses.alignment import weights_like
from ktrain.metrics.metric import Metric


@public("keras.metrics.IoU")
class IoU(Metric):
    """The mean over the target classes of `true positives / (true positives + false positives + false negatives)`.

    Args:
        num_classes: how many classes there are.
        target_class_ids: the classes that count.
        ignore_class: a label that does not count, for example 255 for "unlabelled".
        sparse_y_true: labels are class numbers, otherwise one-hot.
        sparse_y_pred: predictions are class numbers, otherwise scores.
        axis: of the classes in one-hot labels and scores.
        name, dtype: see `keras.Metric`; counts are int32 by default.
    """

    def __init__(
        self, num_classes: int, target_class_ids: Any, name: str | None = None, dtype: Any = None,
        ignore_class: int | None = None, sparse_y_true: bool = True, sparse_y_pred: bool = True, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(dtype or "int32", name)
        claim_variable((num_classes, num_classes), 4)  # before a list of all classes is made
        if max(target_class_ids) >= num_classes:
            raise ValueError(
                f"target_class_ids are class numbers below num_classes={num_classes}, not {list(target_class_ids)}."
            )
        self._direction = "up"
        self.num_classes = num_classes
        self.target_class_ids = list(target_class_ids)
        self.ignore_class = ignore_class
        self.sparse_y_true = sparse_y_true
        self.sparse_y_pred = sparse_y_pred
        self.axis = axis
        self.total_cm = self.add_variable((num_classes, num_classes), "zeros", name="total_confusion_matrix")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate one batch; labels and predictions `(batch, ...)` or `(batch, ..., classes)`."""
        y_true, y_pred = ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
        y_true = ops.cast(y_true if self.sparse_y_true else ops.argmax(y_true, axis=self.axis), "int32")
        y_pred = ops.cast(y_pred if self.sparse_y_pred else ops.argmax(y_pred, axis=self.axis), "int32")
        dtype = self._dtype
        weights = ops.ones_like(ops.cast(y_true, dtype))
        if sample_weight is not None:
            given = ops.convert_to_tensor(sample_weight, dtype=dtype)
            weights = ops.multiply(weights, weights_like(given, y_true))
        y_true, y_pred, weights = (ops.reshape(x, (-1,)) for x in (y_true, y_pred, weights))
        if self.ignore_class is not None:
            valid = ops.not_equal(y_true, self.ignore_class)
            weights = ops.multiply(weights, ops.cast(valid, dtype))
            y_true = ops.where(valid, y_true, ops.zeros_like(y_true))
            y_pred = ops.where(valid, y_pred, ops.zeros_like(y_pred))
        n = self.num_classes
        cells = ops.segment_sum(weights, ops.add(ops.multiply(y_true, n), y_pred), num_segments=n * n)
        self.total_cm.assign_add(ops.cast(ops.reshape(cells, (n, n)), dtype))

    def result(self) -> Any:
        matrix = ops.cast(self.total_cm.value, settings.floatx)
        right = ops.diagonal(matrix)
        union = ops.subtract(ops.add(ops.sum(matrix, axis=0), ops.sum(matrix, axis=1)), right)
        ids = ops.convert_to_tensor(self.target_class_ids, dtype="int32")
        right, union = ops.take(right, ids, axis=0), ops.take(union, ids, axis=0)
        # Classes that occur neither in labels nor in predictions do not count.
        present = ops.sum(ops.cast(ops.greater(union, 1e-9), settings.floatx))
        share = ops.divide(right, ops.add(union, settings.epsilon))
        return ops.divide(ops.sum(share), ops.add(present, settings.epsilon))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_classes": self.num_classes,
            "target_class_ids": self.target_class_ids,
            "ignore_class": self.ignore_class,
            "sparse_y_true": self.sparse_y_true,
            "sparse_y_pred": self.sparse_y_pred,
            "axis": self.axis,
        }


@public("keras.metrics.MeanIoU")
class MeanIoU(IoU):
    """`IoU` over all classes. For the arguments see there."""

    def __init__(
        self, num_classes: int, name: str | None = None, dtype: Any = None, ignore_class: int | None = None,
        sparse_y_true: bool = True, sparse_y_pred: bool = True, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(num_classes, range(num_classes), name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["target_class_ids"]
        return config


@public("keras.metrics.BinaryIoU")
class BinaryIoU(IoU):
    """`IoU` of masks of probabilities.

    Args:
        target_class_ids: the classes that count, of 0 and 1.
        threshold: from which a probability means 1.
        name, dtype: see `keras.Metric`.
    """

    def __init__(
        self, target_class_ids: Any = (0, 1), threshold: float = 0.5, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate one batch; labels 0 or 1 and probabilities, `(batch, ...)`."""
        y_pred = ops.convert_to_tensor(y_pred)
        super().update_state(y_true, ops.cast(ops.greater_equal(y_pred, self.threshold), "int32"), sample_weight)

    def get_config(self) -> dict[str, Any]:
        return {
            "target_class_ids": self.target_class_ids,
            "threshold": self.threshold,
            "name": self.name,
            "dtype": self.dtype,
        }


@public("keras.metrics.OneHotIoU")
class OneHotIoU(IoU):
    """`IoU` of one-hot labels. For the arguments see there."""

    def __init__(
        self, num_classes: int, target_class_ids: Any, name: str | None = None, dtype: Any = None,
        ignore_class: int | None = None, sparse_y_pred: bool = False, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(num_classes, target_class_ids, name, dtype, ignore_class, False, sparse_y_pred, axis)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["sparse_y_true"]
        return config


@public("keras.metrics.OneHotMeanIoU")
class OneHotMeanIoU(MeanIoU):
    """`MeanIoU` of one-hot labels. For the arguments see `IoU`."""

    def __init__(
        self, num_classes: int, name: str | None = None, dtype: Any = None, ignore_class: int | None = None,
        sparse_y_pred: bool = False, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(num_classes, name, dtype, ignore_class, False, sparse_y_pred, axis)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["sparse_y_true"]
        return config
