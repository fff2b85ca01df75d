"""Preparation of labels, vectors and sequences: NumPy in, NumPy out; tensors stay tensors where that makes sense."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.config import settings
from kspec import public


@public("keras.utils.to_categorical")
def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """Class numbers as one-hot rows.

    Args:
        x: integers from 0 to `num_classes - 1`, an array or tensor of shape `(...)` or `(..., 1)`.
        num_classes: default the largest number plus one.

    Returns:
        Zeros and ones of shape `(..., num_classes)`: a tensor for a tensor, else a NumPy array.

    Raises:
        IndexError: when a number is not that of a class.

    Example:
        >>> to_categorical([0, 2])
        array([[1., 0., 0.],
               [0., 0., 1.]])
    """
    from kops.engine import engine

    e = engine()
    on_device = e.is_tensor(x)
    labels = np.asarray(e.to_numpy(x) if on_device else x).astype(np.int64)
    if num_classes is None:
        if labels.size == 0:
            raise ValueError("to_categorical: num_classes must be given for an empty array.")
        num_classes = int(labels.max()) + 1
    if labels.size and not (labels.min() >= 0 and labels.max() < num_classes):
        raise IndexError(
            f"to_categorical: class numbers are 0 to {num_classes - 1}, but there are numbers from "
            f"{labels.min()} to {labels.max()}."
        )
    if labels.ndim > 1 and labels.shape[-1] == 1:
        labels = labels[..., 0]
    rows = (labels[..., np.newaxis] == np.arange(num_classes)).astype(np.float64)
    return e.convert(rows, settings.floatx) if on_device else rows


@public("keras.utils.normalize")
def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """Vectors divided by their norms; vectors of norm 0 stay.

    Args:
        x: array, list or tensor; a single number is one vector.
        axis: axis of the vectors.
        order: of the norm, an int from 1 up.

    Returns:
        A tensor for a tensor, else a NumPy array.

    Example:
        >>> normalize(np.array([[3.0, 4.0], [0.0, 0.0]]))
        array([[0.6, 0.8],
               [0. , 0. ]])
    """
    from kops.engine import engine
    from kops.ops.linalg_norm import normalize as normalize_tensor

    if not isinstance(order, int) or order < 1:
        raise ValueError(f"normalize: order is an int from 1 up; got {order!r}.")
    if not isinstance(x, np.ndarray) and (engine().is_tensor(x) or hasattr(x, "_keras_history")):
        return normalize_tensor(x, axis=axis, order=order)
    array = np.atleast_1d(np.asarray(x, settings.floatx if isinstance(x, (list, tuple)) else None))
    lengths = np.linalg.norm(array, order, axis, keepdims=True)
    return array / np.where(lengths == 0, 1, lengths).astype(lengths.dtype)


@public("keras.utils.pad_sequences", "keras.preprocessing.sequence.pad_sequences")
def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> np.ndarray:
    """Sequences of different lengths as one array.

    Args:
        sequences: list of sequences; their elements may be arrays of one shape.
        maxlen: length of all; default that of the longest.
        dtype: of the result.
        padding, truncating: "pre" or "post": where what is missing is put, where what is too much is cut.
        value: put where a sequence has no element.

    Returns:
        A NumPy array of shape `(len(sequences), maxlen, ...)`.

    Example:
        >>> pad_sequences([[1], [2, 3]])
        array([[0, 1],
               [2, 3]], dtype=int32)
    """
    for name, place in (("padding", padding), ("truncating", truncating)):
        if place not in ("pre", "post"):
            raise ValueError(f'pad_sequences: {name} is "pre" or "post", not {place!r}.')
    for i, sequence in enumerate(sequences):
        if not hasattr(sequence, "__len__"):
            raise ValueError(f"pad_sequences: every element is a sequence, but element {i} is {sequence!r}.")
    if maxlen is None:
        maxlen = max([len(s) for s in sequences], default=0)
    shape = next((np.asarray(s).shape[1:] for s in sequences if len(s)), ())
    # A word as `value` needs an array of objects; numbers are cast as a whole.
    result = np.full((len(sequences), maxlen, *shape), value, dtype=dtype)
    for i, sequence in enumerate(sequences):
        kept = sequence[max(len(sequence) - maxlen, 0) :] if truncating == "pre" else sequence[:maxlen]
        if not len(kept):
            continue
        row = np.asarray(kept, dtype=dtype)
        if row.shape[1:] != shape:
            raise ValueError(
                f"pad_sequences: elements have shape {shape} in the first sequence, {row.shape[1:]} in sequence {i}."
            )
        begin = maxlen - len(row) if padding == "pre" else 0
        result[i, begin : begin + len(row)] = row
    return result
