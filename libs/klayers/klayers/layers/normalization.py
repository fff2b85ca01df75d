"""Normalization by statistics learned from data."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np

from klayers.layers.data_layer import DataLayer
from kops.config import epsilon
from kops.ops.core import cast
from kspec import public


@public("keras.layers.Normalization")
class Normalization(DataLayer):
    """Shift and scale inputs to mean 0 and standard deviation 1: `(inputs - mean) / sqrt(variance)`.

    The statistics come from `adapt(data)`, or are given.

    Args:
        axis: axis or axes that keep statistics of their own (-1: one mean per feature); None: one mean for all.
        mean, variance: fixed statistics instead of adapted ones; both or none.
        invert: undo the normalization instead.

    Example:
        >>> layer = Normalization(axis=None)
        >>> layer.adapt(np.array([1.0, 3.0]))
        >>> layer(np.array([5.0]))
        [3.0]
    """

    def __init__(
        self, axis: Any = -1, mean: Any = None, variance: Any = None, invert: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if axis is None:
            axis = ()
        self.axis = (axis,) if isinstance(axis, int) else tuple(axis)
        if any(a == 0 for a in self.axis):
            raise ValueError("axis 0 is the batch and cannot keep statistics of its own.")
        if (mean is None) != (variance is None):
            raise ValueError(f"Give both mean and variance, or none of them; got mean={mean}, variance={variance}.")
        self.input_mean = mean
        self.input_variance = variance
        self.invert = invert
        self.supports_masking = True
        self._build_input_shape: Any = None
        self.mean: Any = None
        self.variance: Any = None

    def build(self, input_shape: Any) -> None:
        ndim = len(input_shape)
        self._build_input_shape = input_shape
        if any(not -ndim <= a < ndim for a in self.axis):
            raise ValueError(f"axis {self.axis} does not exist in inputs of shape {input_shape}.")
        self._keep_axis = tuple(sorted(a % ndim for a in self.axis))
        for a in self._keep_axis:
            if input_shape[a] is None:
                raise ValueError(f"Normalization over axis {a} needs its size, but the input shape is {input_shape}.")
        self._broadcast_shape = [input_shape[a] if a in self._keep_axis else 1 for a in range(ndim)]
        if self.input_mean is None:
            shape = tuple(input_shape[a] for a in self._keep_axis)
            self.adapt_mean = self.add_weight(name="mean", shape=shape, initializer="zeros", trainable=False)
            self.adapt_variance = self.add_weight(name="variance", shape=shape, initializer="ones", trainable=False)
            # Kept for files of Keras, which have it.
            self.count = self.add_weight(name="count", shape=(), dtype="int32", initializer="zeros", trainable=False)
        self.finalize_state()

    def adapt(self, data: Any) -> None:
        """Learn mean and variance.

        Args:
            data: array `(samples, ...)`, or an iterable of batches (tf.data, DataLoader, generator).
        """
        if self.input_mean is not None:
            raise ValueError("This layer has a fixed mean and variance; adapt() would change nothing.")
        total: Any = None
        for batch in _batches(data):
            if not self.built:
                self.build(batch.shape)
            axes = tuple(a for a in range(batch.ndim) if a not in self._keep_axis)
            values = batch.astype("float64")
            count = float(np.prod([batch.shape[a] for a in axes]))
            if count == 0:
                continue
            mean, variance = values.mean(axis=axes), values.var(axis=axes)
            total = (count, mean, variance) if total is None else _merge(total, (count, mean, variance))
        if total is None:
            raise ValueError("adapt() got no data.")
        self.adapt_mean.assign(total[1].astype("float32"))
        self.adapt_variance.assign(total[2].astype("float32"))
        self.finalize_state()

    def finalize_state(self) -> None:
        """Bring the statistics into the shape in which they meet the inputs."""
        if self.input_mean is None:
            mean, variance = self.adapt_mean.numpy(), self.adapt_variance.numpy()
        else:
            mean, variance = (np.asarray(self.input_mean, "float32"), np.asarray(self.input_variance, "float32"))
        shape = self._broadcast_shape
        if mean.size not in (1, int(np.prod(shape))):
            raise ValueError(f"mean of shape {mean.shape} does not fit inputs of shape {self._build_input_shape}.")
        self.mean, self.variance = (_spread(x, shape) for x in (mean, variance))
        self._deviation = np.maximum(np.sqrt(self.variance), np.float32(epsilon()))

    def call(self, inputs: Any) -> Any:
        if self.mean is None:
            raise ValueError(
                "A Normalization layer must be adapted to data before it is called. "
                "Call adapt(data), or give mean and variance."
            )
        x = cast(inputs, self.compute_dtype)
        mean, deviation = cast(self.mean, self.compute_dtype), cast(self._deviation, self.compute_dtype)
        return mean + x * deviation if self.invert else (x - mean) / deviation

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def load_own_variables(self, store: Any) -> None:
        super().load_own_variables(store)
        self.finalize_state()

    def get_build_config(self) -> Any:
        if self._build_input_shape is not None:
            return {"input_shape": tuple(self._build_input_shape)}
        return None

    def build_from_config(self, config: dict[str, Any]) -> None:
        if config:
            self.build(tuple(config["input_shape"]))

    def get_config(self) -> dict[str, Any]:
        def plain(value: Any) -> Any:
            return None if value is None else np.asarray(value).tolist()

        return {
            **super().get_config(),
            "axis": self.axis,
            "invert": self.invert,
            "mean": plain(self.input_mean),
            "variance": plain(self.input_variance),
        }


def _batches(data: Any) -> Iterable[np.ndarray]:
    """Batches of a data set as arrays; an array or list is one batch."""
    if isinstance(data, (np.ndarray, list, tuple)) or (hasattr(data, "__array__") and hasattr(data, "shape")):
        array = np.asarray(data)
        yield array.reshape(1) if array.ndim == 0 else array
        return
    if not hasattr(data, "__iter__"):
        raise TypeError(f"adapt() takes an array or an iterable of batches, not {type(data).__name__}.")
    for batch in data:
        yield np.asarray(batch)


def _spread(x: np.ndarray, shape: list[int]) -> np.ndarray:
    return np.array(np.broadcast_to(x.reshape(shape if x.size > 1 else [1] * len(shape)), shape))


def _merge(a: Any, b: Any) -> Any:
    """Count, mean and variance of two samples together (Chan et al. 1979)."""
    count = a[0] + b[0]
    delta = b[1] - a[1]
    mean = a[1] + delta * b[0] / count
    variance = (a[0] * a[2] + b[0] * b[2]) / count + (a[0] * b[0] / count**2) * delta**2
    return count, mean, variance
