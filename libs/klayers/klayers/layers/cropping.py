"""ZeroPadding1D/2D/3D and Cropping1D/2D/3D."""

from __future__ import annotations

from typing import Any

import kops
from klayers.input_spec import InputSpec
from klayers.layers.shape_layer import ShapeLayer
from kops.config import standardize_data_format
from kspec import public


def pairs_of(value: Any, rank: int, name: str) -> tuple[tuple[int, int], ...]:
    """An integer, one per axis, or (before, after) per axis, as pairs.

    With a single axis two integers are its pair.
    """
    if isinstance(value, int):
        value = ((value, value),) * rank
    if isinstance(value, (tuple, list)):
        if rank == 1 and len(value) == 2 and all(isinstance(v, int) for v in value):
            value = (value,)
        pairs = tuple((v, v) if isinstance(v, int) else v for v in value)
        fits = len(pairs) == rank and all(isinstance(p, (tuple, list)) and len(p) == 2 for p in pairs)
        if fits and all(isinstance(n, int) and n >= 0 for p in pairs for n in p):
            return tuple((p[0], p[1]) for p in pairs)
    raise ValueError(
        f"{name} must be an integer, or for each of {rank} axes an integer or a pair (before, after), none of them "
        f"negative; got {value!r}."
    )


class _Border(ShapeLayer):
    rank = 0

    def __init__(self, data_format: str | None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _first(self) -> int:
        return 2 if self.data_format == "channels_first" else 1


class ZeroPadding(_Border):
    """Zeros around `rank` spatial axes."""

    def __init__(self, padding: Any, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        pairs = pairs_of(padding, self.rank, "padding")
        self.padding: Any = pairs[0] if self.rank == 1 else pairs
        first = self._first()
        self._pairs = [(0, 0)] * (self.rank + 2)
        self._pairs[first : first + self.rank] = pairs

    def call(self, inputs: Any) -> Any:
        return kops.pad(inputs, tuple(self._pairs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return tuple(None if d is None else d + a + b for d, (a, b) in zip(input_shape, self._pairs))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "padding": self.padding, "data_format": self.data_format}


@public("keras.layers.ZeroPadding1D")
class ZeroPadding1D(ZeroPadding):
    """Zeros before and after the steps.

    Args:
        padding: how many on both sides, or `(before, after)`.
        data_format: "channels_last" (default) or "channels_first".

    Input shape `(batch, steps, channels)`.
    """

    rank = 1

    def __init__(self, padding: Any = 1, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(padding, data_format, **kwargs)


@public("keras.layers.ZeroPadding2D")
class ZeroPadding2D(ZeroPadding):
    """Zeros around images.

    Args:
        padding: how many on all sides; or `(rows, columns)`; or `((top, bottom), (left, right))`.
        data_format: "channels_last" (default) or "channels_first".

    Input shape `(batch, height, width, channels)`, or with channels first.

    Example:
        >>> ZeroPadding2D(((1, 0), (2, 2)))(np.ones((1, 5, 5, 3))).shape
        (1, 6, 9, 3)
    """

    rank = 2

    def __init__(self, padding: Any = (1, 1), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(padding, data_format, **kwargs)


@public("keras.layers.ZeroPadding3D")
class ZeroPadding3D(ZeroPadding):
    """Zeros around volumes. `padding` as of `ZeroPadding2D`, for three axes.

    Input shape `(batch, dim1, dim2, dim3, channels)`, or with channels first.
    """

    rank = 3

    def __init__(self, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(padding, data_format, **kwargs)


class Cropping(_Border):
    """Cuts positions off `rank` spatial axes."""

    def __init__(self, cropping: Any, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        pairs = pairs_of(cropping, self.rank, "cropping")
        self.cropping: Any = pairs[0] if self.rank == 1 else pairs
        first = self._first()
        self._pairs = [(0, 0)] * (self.rank + 2)
        self._pairs[first : first + self.rank] = pairs

    def _check(self, shape: Any) -> None:
        if any(d is not None and d <= a + b for d, (a, b) in zip(shape, self._pairs) if a + b):
            raise ValueError(
                f"{type(self).__name__} cannot cut {self.cropping} off an input of shape {tuple(shape)}: nothing "
                "would be left."
            )

    def call(self, inputs: Any) -> Any:
        self._check(inputs.shape)
        return inputs[tuple(slice(a, -b if b else None) for a, b in self._pairs)]

    def compute_output_shape(self, input_shape: Any) -> Any:
        self._check(input_shape)
        return tuple(None if d is None else d - a - b for d, (a, b) in zip(input_shape, self._pairs))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "cropping": self.cropping, "data_format": self.data_format}


@public("keras.layers.Cropping1D")
class Cropping1D(Cropping):
    """Cuts steps off at the start and at the end.

    Args:
        cropping: how many on both sides, or `(start, end)`.

    Input shape `(batch, steps, channels)`.
    """

    rank = 1

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(cropping, "channels_last", **kwargs)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config.pop("data_format")
        return config


@public("keras.layers.Cropping2D")
class Cropping2D(Cropping):
    """Cuts off the borders of images.

    Args:
        cropping: how much on all sides; or `(rows, columns)`; or `((top, bottom), (left, right))`.
        data_format: "channels_last" (default) or "channels_first".

    Input shape `(batch, height, width, channels)`, or with channels first.
    """

    rank = 2

    def __init__(self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(cropping, data_format, **kwargs)


@public("keras.layers.Cropping3D")
class Cropping3D(Cropping):
    """Cuts off the borders of volumes. `cropping` as of `Cropping2D`, for three axes.

    Input shape `(batch, dim1, dim2, dim3, channels)`, or with channels first.
    """

    rank = 3

    def __init__(self, cropping: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(cropping, data_format, **kwargs)
