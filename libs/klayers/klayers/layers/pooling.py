"""MaxPooling1D/2D/3D and AveragePooling1D/2D/3D."""

from __future__ import annotations

from typing import Any

import kops
from klayers.input_spec import InputSpec
from klayers.layers.settings import choice, config_of
from klayers.layers.shape_layer import ShapeLayer
from kops import windows
from kops.config import standardize_data_format
from kspec import public


class Pooling(ShapeLayer):
    """A reduction of windows over `rank` spatial axes; `pool` is the op."""

    rank = 0
    _op = ""

    def __init__(
        self,
        pool_size: Any,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = windows.each(pool_size, self.rank, "pool_size")
        self.strides = self.pool_size if strides is None else windows.each(strides, self.rank, "strides")
        self.padding = choice(padding, "padding", ("valid", "same"))
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        pool = getattr(kops, self._op)
        return pool(inputs, self.pool_size, self.strides, self.padding, self.data_format)

    def compute_output_shape(self, input_shape: Any) -> Any:
        first = self.data_format == "channels_first"
        geometry = windows.Geometry(self.rank, self.strides, (1,) * self.rank, self.padding, first)
        depth = windows.channels(input_shape, geometry)
        return windows.slide(tuple(input_shape), self.pool_size, depth, geometry)

    def compute_output_spec(self, inputs: Any) -> Any:
        # The average of integers is the op's business.
        return (
            getattr(kops, self._op)(inputs, self.pool_size, self.strides, self.padding, self.data_format)
            if self._op == "average_pool"
            else super().compute_output_spec(inputs)
        )

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "pool_size", "padding", "strides", "data_format")}


class MaxPool(Pooling):
    _op = "max_pool"


class AveragePool(Pooling):
    _op = "average_pool"


@public("keras.layers.MaxPooling1D", "keras.layers.MaxPool1D")
class MaxPooling1D(MaxPool):
    """The largest value of each window over one axis. See `MaxPooling2D`.

    Input shape `(batch, steps, channels)`, output shape `(batch, new_steps, channels)`.
    """

    rank = 1

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


@public("keras.layers.MaxPooling2D", "keras.layers.MaxPool2D")
class MaxPooling2D(MaxPool):
    """The largest value of each window over two axes.

    Args:
        pool_size: height and width of the window, or one integer for both.
        strides: steps between windows; default the window's size.
        padding: "valid" (none) or "same" (`ceil(size / stride)` windows; what lies outside counts for
            nothing).
        data_format: "channels_last" (default) or "channels_first".
        name: optional.

    Input shape `(batch, height, width, channels)`, output shape `(batch, new_height, new_width, channels)`,
    or both with channels first.

    Example:
        >>> MaxPooling2D()(np.ones((1, 28, 28, 3))).shape
        (1, 14, 14, 3)
    """

    rank = 2

    def __init__(
        self,
        pool_size: Any = (2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


@public("keras.layers.MaxPooling3D", "keras.layers.MaxPool3D")
class MaxPooling3D(MaxPool):
    """The largest value of each window over three axes. See `MaxPooling2D`.

    Input shape `(batch, dim1, dim2, dim3, channels)`, output shape `(batch, new1, new2, new3, channels)`.
    """

    rank = 3

    def __init__(
        self,
        pool_size: Any = (2, 2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


@public("keras.layers.AveragePooling1D", "keras.layers.AvgPool1D")
class AveragePooling1D(AveragePool):
    """The mean of each window over one axis. See `AveragePooling2D`.

    Input shape `(batch, steps, channels)`, output shape `(batch, new_steps, channels)`.
    """

    rank = 1


@public("keras.layers.AveragePooling2D", "keras.layers.AvgPool2D")
class AveragePooling2D(AveragePool):
    """The mean of each window over two axes.

    Args:
        pool_size: height and width of the window, or one integer for both.
        strides: steps between windows; default the window's size.
        padding: "valid" (none) or "same" (`ceil(size / stride)` windows; the mean is that of what lies
            inside).
        data_format: "channels_last" (default) or "channels_first".
        name: optional.

    Input shape `(batch, height, width, channels)`, output shape `(batch, new_height, new_width, channels)`,
    or both with channels first.

    Example:
        >>> AveragePooling2D(2)(np.ones((1, 28, 28, 3))).shape
        (1, 14, 14, 3)
    """

    rank = 2


@public("keras.layers.AveragePooling3D", "keras.layers.AvgPool3D")
class AveragePooling3D(AveragePool):
    """The mean of each window over three axes. See `AveragePooling2D`.

    Input shape `(batch, dim1, dim2, dim3, channels)`, output shape `(batch, new1, new2, new3, channels)`.
    """

    rank = 3
