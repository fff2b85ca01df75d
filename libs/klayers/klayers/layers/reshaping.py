"""Flatten, Reshape, Permute, RepeatVector."""

from __future__ import annotations

import math
from typing import Any

import kops
from klayers.input_spec import InputSpec
from klayers.layers.settings import positive_int
from klayers.layers.shape_layer import ShapeLayer
from kops.config import standardize_data_format
from kspec import public


@public("keras.layers.Flatten")
class Flatten(ShapeLayer):
    """All axes but the first as one.

    Args:
        data_format: with "channels_first" the channels are moved behind the other axes first, so that the
            order of the output is that of "channels_last".

    Input shape `(batch, ...)`, output shape `(batch, product)`; `(batch,)` becomes `(batch, 1)`.

    Example:
        >>> Flatten()(np.ones((2, 3, 4))).shape
        (2, 12)
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Any:
        ndim = len(inputs.shape)
        if self.data_format == "channels_first" and ndim > 2:
            inputs = kops.transpose(inputs, (0, *range(2, ndim), 1))
        # The sizes that are known stay known; -1 stands for at most one that is not.
        size = _size(inputs.shape[1:])
        if size is not None:
            return kops.reshape(inputs, (-1 if size else kops.shape(inputs)[0], size))
        return kops.reshape(inputs, (kops.shape(inputs)[0], -1))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], _size(input_shape[1:]))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "data_format": self.data_format}


def _size(shape: Any) -> int | None:
    sizes = tuple(shape)
    if 0 in sizes:
        return 0
    return None if None in sizes else math.prod(sizes)


@public("keras.layers.Reshape")
class Reshape(ShapeLayer):
    """The same elements in another shape.

    Args:
        target_shape: sizes without the batch; one may be -1, to be computed.

    Raises:
        ValueError: for two sizes of -1, and for an input of another number of elements.

    Example:
        >>> Reshape((-1, 2))(np.ones((5, 3, 4))).shape
        (5, 6, 2)
    """

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        sizes = target_shape if isinstance(target_shape, (tuple, list)) else (target_shape,)
        self.target_shape = tuple(-1 if size is None else int(size) for size in sizes)
        if self.target_shape.count(-1) > 1 or any(size < -1 for size in self.target_shape):
            raise ValueError(f"target_shape holds sizes of which at most one is -1, not {tuple(target_shape)}.")

    def _target(self, input_shape: Any) -> tuple[int | None, ...]:
        size = _size(input_shape[1:])
        known = math.prod(d for d in self.target_shape if d != -1)
        if size is None:
            return tuple(None if d == -1 else d for d in self.target_shape)
        fits = size % known == 0 if -1 in self.target_shape and known else size == known
        if not fits:
            raise ValueError(
                f"Reshape cannot bring {size} elements (input shape {tuple(input_shape)}, without the batch) into "
                f"the shape {self.target_shape}."
            )
        return tuple(size // known if d == -1 and known else d for d in self.target_shape)

    def call(self, inputs: Any) -> Any:
        target = self._target(inputs.shape)
        batch = inputs.shape[0]
        if batch is None:
            # One size may be left to the engine: the batch, unless another is unknown too.
            unknown = None in target or 0 in target
            batch = kops.shape(inputs)[0] if unknown else -1
        return kops.reshape(inputs, (batch, *(-1 if d is None else d for d in target)))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], *self._target(input_shape))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "target_shape": self.target_shape}


@public("keras.layers.Permute")
class Permute(ShapeLayer):
    """The axes in another order.

    Args:
        dims: the axes of the input in the order of the output; the batch is axis 0 and stays, so they start
            at 1.

    Example:
        >>> Permute((2, 1))(np.ones((5, 3, 4))).shape
        (5, 4, 3)
    """

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(f"dims must be the axes 1 to n in any order (0 is the batch), not {self.dims}.")
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: Any) -> Any:
        return kops.transpose(inputs, (0, *self.dims))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], *(input_shape[d] for d in self.dims))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "dims": self.dims}


@public("keras.layers.RepeatVector")
class RepeatVector(ShapeLayer):
    """The input `n` times, as steps.

    Args:
        n: how often.

    Input shape `(batch, features)`, output shape `(batch, n, features)`.
    """

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(n, int):
            raise TypeError(f"n must be an integer, not {n!r}.")
        self.n = positive_int(n, "n")
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs: Any) -> Any:
        return kops.repeat(kops.expand_dims(inputs, 1), self.n, axis=1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], self.n, input_shape[1])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "n": self.n}
