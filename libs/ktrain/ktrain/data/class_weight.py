"""Weights of classes as weights of samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops import tree


def sample_weights_of(y: Any, class_weight: dict[int, float]) -> np.ndarray:
    """One weight for each sample, 1 where its class has none.

    Args:
        y: class numbers `(batch,)` or `(batch, 1)`, or one-hot labels `(batch, classes)`.
        class_weight: class numbers to weights.
    """
    labels = tree.flatten(y)
    if y is None or len(labels) != 1:
        raise ValueError("class_weight needs one array of labels; for several outputs use sample_weight.")
    numbers = np.asarray(labels[0])
    if numbers.ndim > 1:
        numbers = numbers.argmax(axis=-1) if numbers.shape[-1] > 1 else numbers[..., 0]
    if numbers.ndim != 1:
        raise ValueError(f"class_weight needs one label for each sample, not labels of shape {labels[0].shape}.")
    numbers = np.round(numbers).astype("int64")
    if not numbers.size:
        return np.ones((0,), "float32")
    keys = np.array(sorted(int(k) for k in class_weight))
    weights = np.array([class_weight[k] for k in sorted(class_weight, key=int)], "float32")
    if not len(keys):
        return np.ones(numbers.shape, "float32")
    at = np.clip(np.searchsorted(keys, numbers), 0, len(keys) - 1)
    return np.where(keys[at] == numbers, weights[at], np.float32(1.0)).astype("float32")
