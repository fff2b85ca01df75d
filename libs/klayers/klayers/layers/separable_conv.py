"""SeparableConv1D, SeparableConv2D."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.conv import ConvLayer
from klayers.layers.settings import config_of, positive_int, store
from kops import windows
from kspec import public


class BaseSeparableConv(ConvLayer):
    """The separable convolution over `rank` spatial axes."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.filters = positive_int(filters, "filters")
        self.depth_multiplier = positive_int(depth_multiplier, "depth_multiplier")
        self._set_window(kernel_size, strides, padding, data_format, dilation_rate)
        self.use_bias = use_bias
        store(
            self,
            activation=activation,
            depthwise_initializer=depthwise_initializer,
            pointwise_initializer=pointwise_initializer,
            bias_initializer=bias_initializer,
            depthwise_regularizer=depthwise_regularizer,
            pointwise_regularizer=pointwise_regularizer,
            bias_regularizer=bias_regularizer,
            depthwise_constraint=depthwise_constraint,
            pointwise_constraint=pointwise_constraint,
            bias_constraint=bias_constraint,
        )
        self.bias = None

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        multiplier = self.depth_multiplier
        self.depthwise_kernel = self._add("depthwise_kernel", (*self.kernel_size, channels, multiplier), "depthwise")
        ones = (1,) * self.rank
        self.pointwise_kernel = self._add("pointwise_kernel", (*ones, channels * multiplier, self.filters), "pointwise")
        if self.use_bias:
            self.bias = self._add("bias", (self.filters,))

    def call(self, inputs: Any) -> Any:
        x = kops.separable_conv(
            inputs,
            self.depthwise_kernel,
            self.pointwise_kernel,
            self.strides,
            self.padding,
            self.data_format,
            self.dilation_rate,
        )
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
                "depth_multiplier",
                "filters",
                "kernel_size",
                "strides",
                "padding",
                "data_format",
                "dilation_rate",
                "activation",
                "use_bias",
                "depthwise_initializer",
                "pointwise_initializer",
                "bias_initializer",
                "depthwise_regularizer",
                "pointwise_regularizer",
                "bias_regularizer",
                "activity_regularizer",
                "depthwise_constraint",
                "pointwise_constraint",
                "bias_constraint",
            ),
        }


@public("keras.layers.SeparableConv1D", "keras.layers.SeparableConvolution1D")
class SeparableConv1D(BaseSeparableConv):
    """Separable convolution over one axis. Arguments as of `SeparableConv2D`.

    Input shape `(batch, steps, channels)`, output shape `(batch, new_steps, filters)`.
    """

    rank = 1


@public("keras.layers.SeparableConv2D", "keras.layers.SeparableConvolution2D")
class SeparableConv2D(BaseSeparableConv):
    """A depthwise convolution, then one that mixes the channels of each position: fewer weights than `Conv2D`.

    Args:
        filters: number of output channels.
        kernel_size, strides, padding, dilation_rate: of the depthwise convolution, as of `Conv2D`.
        data_format: "channels_last" (default) or "channels_first".
        depth_multiplier: depthwise channels for each input channel.
        activation: name or function applied at the end.
        use_bias: whether a bias is added.
        depthwise_initializer, pointwise_initializer, bias_initializer: first values of the weights.
        depthwise_regularizer, pointwise_regularizer, bias_regularizer, activity_regularizer: penalties.
        depthwise_constraint, pointwise_constraint, bias_constraint: projections of the weights after each update.

    Input shape `(batch, height, width, channels)`, output shape `(batch, new_height, new_width, filters)`, or both
    with channels first.

    Source: Chollet, "Xception: deep learning with depthwise separable convolutions", 2017.
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
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation,
            use_bias, depthwise_initializer, pointwise_initializer, bias_initializer, depthwise_regularizer,
            pointwise_regularizer, bias_regularizer, activity_regularizer, depthwise_constraint,
            pointwise_constraint, bias_constraint, **kwargs,
        )  # fmt: skip
