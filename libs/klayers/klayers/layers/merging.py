"""Add, Subtract, Multiply, Average, Maximum, Minimum, and their function forms."""

from __future__ import annotations

import functools
from typing import Any

import kops
from klayers.layer import Layer
from kspec import public


class Merge(Layer):
    """An elementwise function of several inputs; subclasses define `_merge`.

    Inputs of fewer axes are broadcast: axes of size one are put in behind the batch.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def _merge(self, x: Any, y: Any) -> Any:
        raise NotImplementedError

    def _check(self, input_shape: Any) -> None:
        if not isinstance(input_shape, list) or not all(isinstance(s, tuple) for s in input_shape):
            raise ValueError(f"{type(self).__name__} takes a list of tensors, but the input shape is {input_shape}.")
        if not input_shape:
            raise ValueError(f"{type(self).__name__} takes at least one tensor, but the list is empty.")
        batches = {shape[0] for shape in input_shape if shape and shape[0] is not None}
        if len(batches) > 1:
            raise ValueError(f"{type(self).__name__} takes inputs of one batch size, not of shapes {input_shape}.")
        self._merged_shape(input_shape)

    def _merged_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        ndim = max(len(shape) for shape in input_shape)
        merged: list[int | None] = []
        for axis in range(ndim):
            sizes = {shape[axis] for shape in (_lifted(s, ndim) for s in input_shape)}
            known = sizes - {1, None}
            if len(known) > 1:
                raise ValueError(
                    f"The inputs of {type(self).__name__} {self.name!r} cannot be broadcast to each other: shapes "
                    f"{', '.join(map(str, input_shape))}."
                )
            merged.append(known.pop() if known else (None if None in sizes else 1))
        return tuple(merged)

    def build(self, input_shape: Any) -> None:
        self._check(input_shape)

    def call(self, inputs: Any) -> Any:
        ndim = max(len(x.shape) for x in inputs)
        if any(len(x.shape) != ndim for x in inputs):
            inputs = [_lift(x, ndim) for x in inputs]
        return functools.reduce(self._merge, inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        self._check(input_shape)
        return self._merged_shape(input_shape)

    def compute_output_spec(self, inputs: Any) -> Any:
        self._check([tuple(x.shape) for x in inputs])
        return self._infer_by_call((inputs,), {})

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """What any input keeps; None when an input has no mask."""
        if mask is None:
            return None
        if not isinstance(mask, (list, tuple)) or len(mask) != len(inputs):
            raise ValueError(f"{type(self).__name__} takes a list of {len(inputs)} masks, not {mask!r}.")
        if any(m is None for m in mask):
            return None
        return functools.reduce(kops.logical_or, mask)


def _lifted(shape: Any, ndim: int) -> Any:
    return shape if len(shape) == ndim else (*shape[:1], *(1,) * (ndim - len(shape)), *shape[1:])


def _lift(x: Any, ndim: int) -> Any:
    missing = ndim - len(x.shape)
    return kops.expand_dims(x, tuple(range(1, 1 + missing))) if missing else x


@public("keras.layers.Add")
class Add(Merge):
    """The sum of a list of tensors.

    Example:
        >>> Add()([np.ones((2, 3)), np.ones((2, 3))])  # all 2
    """

    def _merge(self, x: Any, y: Any) -> Any:
        return kops.add(x, y)


@public("keras.layers.Subtract")
class Subtract(Merge):
    """The first of two tensors minus the second."""

    def _check(self, input_shape: Any) -> None:
        if not isinstance(input_shape, list) or len(input_shape) != 2:
            raise ValueError(f"Subtract takes a list of exactly 2 tensors, but the input shape is {input_shape}.")
        super()._check(input_shape)

    def _merge(self, x: Any, y: Any) -> Any:
        return kops.subtract(x, y)


@public("keras.layers.Multiply")
class Multiply(Merge):
    """The product of a list of tensors, element by element."""

    def _merge(self, x: Any, y: Any) -> Any:
        return kops.multiply(x, y)


@public("keras.layers.Average")
class Average(Merge):
    """The mean of a list of tensors, element by element."""

    def _merge(self, x: Any, y: Any) -> Any:
        return kops.add(x, y)

    def call(self, inputs: Any) -> Any:
        return kops.divide(super().call(inputs), len(inputs))


@public("keras.layers.Maximum")
class Maximum(Merge):
    """The largest of a list of tensors, element by element."""

    def _merge(self, x: Any, y: Any) -> Any:
        return kops.maximum(x, y)


@public("keras.layers.Minimum")
class Minimum(Merge):
    """The smallest of a list of tensors, element by element."""

    def _merge(self, x: Any, y: Any) -> Any:
        return kops.minimum(x, y)


@public("keras.layers.add")
def add(inputs: Any, **kwargs: Any) -> Any:
    """`Add(**kwargs)(inputs)`."""
    return Add(**kwargs)(inputs)


@public("keras.layers.subtract")
def subtract(inputs: Any, **kwargs: Any) -> Any:
    """`Subtract(**kwargs)(inputs)`."""
    return Subtract(**kwargs)(inputs)


@public("keras.layers.multiply")
def multiply(inputs: Any, **kwargs: Any) -> Any:
    """`Multiply(**kwargs)(inputs)`."""
    return Multiply(**kwargs)(inputs)


@public("keras.layers.average")
def average(inputs: Any, **kwargs: Any) -> Any:
    """`Average(**kwargs)(inputs)`."""
    return Average(**kwargs)(inputs)


@public("keras.layers.maximum")
def maximum(inputs: Any, **kwargs: Any) -> Any:
    """`Maximum(**kwargs)(inputs)`."""
    return Maximum(**kwargs)(inputs)


@public("keras.layers.minimum")
def minimum(inputs: Any, **kwargs: Any) -> Any:
    """`Minimum(**kwargs)(inputs)`."""
    return Minimum(**kwargs)(inputs)
