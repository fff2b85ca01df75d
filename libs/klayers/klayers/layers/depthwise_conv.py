"""DepthwiseConv1D, DepthwiseConv2D."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.conv import ConvLayer
from klayers.layers.settings import config_of, positive_int, store
from kops import windows
from kspec import public


class BaseDepthwiseConv(ConvLayer):
    """The depthwise convolution over `rank` spatial axes."""

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.depth_multiplier = positive_int(depth_multiplier, "depth_multiplier")
        self._set_window(kernel_size, strides, padding, data_format, dilation_rate)
        self.use_bias = use_bias
        store(
            self,
            activation=activation,
            depthwise_initializer=depthwise_initializer,
            bias_initializer=bias_initializer,
            depthwise_regularizer=depthwise_regularizer,
            bias_regularizer=bias_regularizer,
            depthwise_constraint=depthwise_constraint,
            bias_constraint=bias_constraint,
        )
        self.bias = None

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        self.kernel = self._add("kernel", (*self.kernel_size, channels, self.depth_multiplier), "depthwise")
        if self.use_bias:
            self.bias = self._add("bias", (channels * self.depth_multiplier,))

    @property
    def depthwise_kernel(self) -> Any:
        """The kernel, under the name it has in `SeparableConv2D`."""
        return self.kernel

    def call(self, inputs: Any) -> Any:
        x = kops.depthwise_conv(inputs, self.kernel, self.strides, self.padding, self.data_format, self.dilation_rate)
        return self._finish(x)

    def compute_output_shape(self, input_shape: Any) -> Any:
        channels = input_shape[self._channel_axis]
        depth = None if channels is None else channels * self.depth_multiplier
        return windows.slide(tuple(input_shape), self.kernel_size, depth, self._geometry())

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config.pop("activity_regularizer", None)
        return {
            **config,
            **config_of(
                self,
                "depth_multiplier",
                "kernel_size",
                "strides",
                "padding",
                "data_format",
                "dilation_rate",
                "activation",
                "use_bias",
                "depthwise_initializer",
                "bias_initializer",
                "depthwise_regularizer",
                "bias_regularizer",
                "activity_regularizer",
                "depthwise_constraint",
                "bias_constraint",
            ),
        }


@public("keras.layers.DepthwiseConv1D")
class DepthwiseConv1D(BaseDepthwiseConv):
    """Convolution over one axis of each channel by itself.

    Arguments as of `DepthwiseConv2D`.

    Input shape `(batch, steps, channels)`, output shape `(batch, new_steps, channels * depth_multiplier)`.
    """

    rank = 1


@public("keras.layers.DepthwiseConv2D")
class DepthwiseConv2D(BaseDepthwiseConv):
    """Convolution over two axes of each channel by itself.

    Args:
        kernel_size: height and width of the window, or one integer for both.
        strides: steps between windows.
        padding: "valid" or "same".
        depth_multiplier: output channels for each input channel.
        data_format: "channels_last" (default) or "channels_first".
        dilation_rate: distance between the taps of the window; not together with strides.
        activation: name or function applied at the end.
        use_bias: whether a bias is added.
        depthwise_initializer, bias_initializer: first values of the weights.
        depthwise_regularizer, bias_regularizer, activity_regularizer: penalties on weights and output.
        depthwise_constraint, bias_constraint: projections of the weights after each update.

    Input shape `(batch, height, width, channels)`, output shape
    `(batch, new_height, new_width, channels * depth_multiplier)`, or both with channels first. The outputs of
    one channel are neighbours. The kernel has shape `(height, width, channels, depth_multiplier)`.

    Source: Howard et al., "MobileNets: efficient convolutional neural networks for mobile vision", 2017.

    Example:
        >>> DepthwiseConv2D(3, depth_multiplier=2)(np.ones((1, 8, 8, 3))).shape
        (1, 6, 6, 6)
    """

    rank = 2

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            kernel_size, strides, padding, depth_multiplier, data_format, dilation_rate, activation, use_bias,
            depthwise_initializer, bias_initializer, depthwise_regularizer, bias_regularizer, activity_regularizer,
            depthwise_constraint, bias_constraint, **kwargs,
        )  # fmt: skip
