"""Dot: products of the samples of two batches."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layer import Layer
from klayers.layers.rms_normalization import unit
from kspec import public


@public("keras.layers.Dot")
class Dot(Layer):
    """For each sample, the sum of products over an axis of two tensors.

    Args:
        axes: the axis in both tensors, or one for each; the batch is axis 0.
        normalize: divide by the length of the vectors, so that the result is a cosine.

    Two inputs `(batch, a, k)` and `(batch, b, k)` with `axes=2` give `(batch, a, b)`; two inputs `(batch, k)`
    give `(batch, 1)`.

    Example:
        >>> Dot(axes=1)([np.ones((2, 3)), np.ones((2, 3))])
        [[3.], [3.]]
    """

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, int):
            if not isinstance(axes, (list, tuple)):
                raise TypeError(f"axes must be an integer or two of them, not {axes!r}.")
            if len(axes) != 2 or not all(isinstance(axis, int) for axis in axes):
                raise ValueError(f"axes must be an integer or two of them, not {axes!r}.")
        self.axes = axes if isinstance(axes, int) else tuple(axes)
        self.normalize = normalize
        self.supports_masking = True

    def _axes_for(self, shapes: Any) -> tuple[int, int]:
        if not isinstance(shapes, list) or len(shapes) != 2:
            raise ValueError(f"Dot takes a list of exactly 2 tensors, but the input shape is {shapes}.")
        both = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        for axis, shape in zip(both, shapes):
            if not -len(shape) <= axis < len(shape) or axis % len(shape) == 0:
                raise ValueError(
                    f"Dot takes the product over axes {both}, of which one is no axis (other than that of the batch) "
                    f"of an input: shapes {shapes[0]} and {shapes[1]}."
                )
        first, second = (axis % len(shape) for axis, shape in zip(both, shapes))
        sizes = shapes[0][first], shapes[1][second]
        if None not in sizes and sizes[0] != sizes[1]:
            raise ValueError(
                f"Dot takes the product over axes of equal size, not {sizes[0]} (axis {first} of {shapes[0]}) and "
                f"{sizes[1]} (axis {second} of {shapes[1]})."
            )
        return first, second

    def build(self, input_shape: Any) -> None:
        self._axes_for(input_shape)

    def call(self, inputs: Any) -> Any:
        x, y = inputs
        first, second = self._axes_for([tuple(x.shape), tuple(y.shape)])
        if self.normalize:
            x, y = unit(x, first), unit(y, second)
        letters = iter("bcdefghijklmnopqrstuvwxy")
        left = "".join("z" if i == first else "a" if i == 0 else next(letters) for i in range(len(x.shape)))
        right = "".join("z" if i == second else "a" if i == 0 else next(letters) for i in range(len(y.shape)))
        kept = "a" + (left + right).replace("z", "").replace("a", "")
        out = kops.einsum(f"{left},{right}->{kept}", x, y)
        return kops.expand_dims(out, 1) if kept == "a" else out

    def compute_output_shape(self, input_shape: Any) -> Any:
        first, second = self._axes_for(input_shape)
        x, y = input_shape
        kept = [d for i, d in enumerate(x) if i not in (0, first)]
        kept += [d for i, d in enumerate(y) if i not in (0, second)]
        return (x[0], *(kept or [1]))

    def compute_output_spec(self, inputs: Any) -> Any:
        self._axes_for([tuple(x.shape) for x in inputs])
        return self._infer_by_call((inputs,), {})

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axes": self.axes, "normalize": self.normalize}


@public("keras.layers.dot")
def dot(inputs: Any, axes: Any = -1, **kwargs: Any) -> Any:
    """`Dot(axes, **kwargs)(inputs)`."""
    return Dot(axes=axes, **kwargs)(inputs)
