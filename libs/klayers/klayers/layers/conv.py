"""Conv1D, Conv2D, Conv3D."""

from __future__ import annotations

from typing import Any

import kops
from klayers.input_spec import InputSpec
from klayers.layer import Layer
from klayers.layers.settings import choice, config_of, positive_int, store
from kops import windows
from kops.config import standardize_data_format
from kspec import public


class ConvLayer(Layer):
    """What all convolution layers share: window arguments, bias and activation.

    Subclasses set `rank`, the number of spatial axes.
    """

    rank = 0
    _paddings: tuple[str, ...] = ("valid", "same")

    def _set_window(self, kernel_size: Any, strides: Any, padding: Any, data_format: Any, dilation_rate: Any) -> None:
        self.kernel_size = windows.each(kernel_size, self.rank, "kernel_size")
        self.strides = windows.each(strides, self.rank, "strides")
        self.dilation_rate = windows.each(dilation_rate, self.rank, "dilation_rate")
        self.padding = choice(padding, "padding", self._paddings)
        self.data_format = standardize_data_format(data_format)
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "strides and dilation_rate cannot both be larger than 1: "
                f"got strides={self.strides}, dilation_rate={self.dilation_rate}."
            )
        self._channel_axis = -1 if self.data_format == "channels_last" else 1
        self.input_spec = InputSpec(min_ndim=self.rank + 2, max_ndim=self.rank + 2)

    def _channels(self, input_shape: Any) -> int:
        if len(input_shape) != self.rank + 2:
            raise ValueError(
                f"{type(self).__name__} takes an input of {self.rank + 2} axes, not of shape {tuple(input_shape)}."
            )
        channels = input_shape[self._channel_axis]
        if channels is None:
            raise ValueError(
                f"{type(self).__name__} needs to know the number of channels (axis {self._channel_axis}) to make "
                f"its kernel, but the input shape is {tuple(input_shape)}."
            )
        self.input_spec = InputSpec(min_ndim=self.rank + 2, max_ndim=self.rank + 2, axes={self._channel_axis: channels})
        return channels

    def _add(self, name: str, shape: tuple[int, ...], settings: str | None = None) -> Any:
        settings = settings or name
        return self.add_weight(
            name=name,
            shape=shape,
            initializer=getattr(self, f"{settings}_initializer"),
            regularizer=getattr(self, f"{settings}_regularizer"),
            constraint=getattr(self, f"{settings}_constraint"),
        )

    def _finish(self, x: Any) -> Any:
        """Bias and activation."""
        if self.bias is not None:
            if self._channel_axis == 1:
                x = kops.add(x, kops.reshape(self.bias, (1, -1, *(1,) * self.rank)))
            else:
                x = kops.add(x, self.bias)
        return self.activation(x)

    def _geometry(self) -> windows.Geometry:
        first = self._channel_axis == 1
        padding = "valid" if self.padding == "causal" else self.padding
        return windows.Geometry(self.rank, self.strides, self.dilation_rate, padding, first)


class BaseConv(ConvLayer):
    """The convolution over `rank` spatial axes."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.filters = positive_int(filters, "filters")
        self.groups = positive_int(groups, "groups")
        if self.filters % self.groups:
            raise ValueError(f"filters ({filters}) must be a multiple of groups ({groups}).")
        self._set_window(kernel_size, strides, padding, data_format, dilation_rate)
        self.use_bias = use_bias
        store(
            self,
            activation=activation,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
        )
        self.bias = None

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        if channels % self.groups:
            raise ValueError(
                f"The {channels} channels of the input cannot be divided among {self.groups} groups; "
                f"the input shape is {tuple(input_shape)}."
            )
        self.kernel = self._add("kernel", (*self.kernel_size, channels // self.groups, self.filters))
        if self.use_bias:
            self.bias = self._add("bias", (self.filters,))

    def call(self, inputs: Any) -> Any:
        x = kops.conv(inputs, self.kernel, self.strides, self.padding, self.data_format, self.dilation_rate)
        return self._finish(x)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return windows.slide(tuple(input_shape), self.kernel_size, self.filters, self._geometry())

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config.pop("activity_regularizer", None)
        return {
            **config,
            **config_of(
                self,
                "filters",
                "kernel_size",
                "strides",
                "padding",
                "data_format",
                "dilation_rate",
                "groups",
                "activation",
                "use_bias",
                "kernel_initializer",
                "bias_initializer",
                "kernel_regularizer",
                "bias_regularizer",
                "activity_regularizer",
                "kernel_constraint",
                "bias_constraint",
            ),
        }


@public("keras.layers.Conv1D", "keras.layers.Convolution1D")
class Conv1D(BaseConv):
    """Convolution over one axis, such as time.

    Args:
        filters: number of output channels.
        kernel_size: length of the window.
        strides: steps between windows.
        padding: "valid" (none), "same" (zeros on both sides, so that with strides 1 the length stays), or
            "causal" (zeros in front, so that an output does not see later inputs).
        data_format: "channels_last" (default) or "channels_first".
        dilation_rate: distance between the taps of the window; not together with strides.
        groups: the channels are split into groups that are convolved by themselves.
        activation: name or function applied at the end.
        use_bias: whether a bias is added.
        kernel_initializer, bias_initializer: first values of the weights.
        kernel_regularizer, bias_regularizer, activity_regularizer: penalties on weights and output.
        kernel_constraint, bias_constraint: projections of the weights after each update.

    Input shape `(batch, steps, channels)`, output shape `(batch, new_steps, filters)`. The kernel has shape
    `(kernel_size, channels / groups, filters)`.

    Example:
        >>> Conv1D(8, 3, padding="causal")(np.ones((2, 10, 4))).shape
        (2, 10, 8)
    """

    rank = 1
    _paddings = ("valid", "same", "causal")

    def _pad(self, inputs: Any) -> Any:
        ahead = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        pairs = ((0, 0), (ahead, 0), (0, 0)) if self._channel_axis == -1 else ((0, 0), (0, 0), (ahead, 0))
        return kops.pad(inputs, pairs)

    def call(self, inputs: Any) -> Any:
        padding = self.padding
        if padding == "causal":
            inputs, padding = self._pad(inputs), "valid"
        x = kops.conv(inputs, self.kernel, self.strides, padding, self.data_format, self.dilation_rate)
        return self._finish(x)

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self.padding == "causal":
            ahead = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            axis = 1 if self._channel_axis == -1 else 2
            input_shape = list(input_shape)
            input_shape[axis] = None if input_shape[axis] is None else input_shape[axis] + ahead
        return super().compute_output_shape(input_shape)


@public("keras.layers.Conv2D", "keras.layers.Convolution2D")
class Conv2D(BaseConv):
    """Convolution over two axes, as of images.

    Args:
        filters: number of output channels.
        kernel_size: height and width of the window, or one integer for both.
        strides: steps between windows.
        padding: "valid" (none) or "same" (zeros on all sides, so that with strides 1 the size stays).
        data_format: "channels_last" (default) or "channels_first".
        dilation_rate: distance between the taps of the window; not together with strides.
        groups: the channels are split into groups that are convolved by themselves.
        activation: name or function applied at the end.
        use_bias: whether a bias is added.
        kernel_initializer, bias_initializer: first values of the weights.
        kernel_regularizer, bias_regularizer, activity_regularizer: penalties on weights and output.
        kernel_constraint, bias_constraint: projections of the weights after each update.

    Input shape `(batch, height, width, channels)`, output shape `(batch, new_height, new_width, filters)`, or
    both with channels first. The kernel has shape `(height, width, channels / groups, filters)`.

    Example:
        >>> Conv2D(8, 3, strides=2, padding="same")(np.ones((1, 28, 28, 3))).shape
        (1, 14, 14, 8)
    """

    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, groups, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
            kernel_constraint, bias_constraint, **kwargs,
        )  # fmt: skip


@public("keras.layers.Conv3D", "keras.layers.Convolution3D")
class Conv3D(BaseConv):
    """Convolution over three axes, as of volumes or videos.

    Arguments as of `Conv2D`, with three sizes in a window.

    Input shape `(batch, dim1, dim2, dim3, channels)`, output shape `(batch, new1, new2, new3, filters)`, or
    both with channels first.

    Example:
        >>> Conv3D(8, 3)(np.ones((1, 9, 9, 9, 3))).shape
        (1, 7, 7, 7, 8)
    """

    rank = 3

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1, 1),
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, groups, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
            kernel_constraint, bias_constraint, **kwargs,
        )  # fmt: skip
