"""Conv1DTranspose, Conv2DTranspose, Conv3DTranspose."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.conv import ConvLayer
from klayers.layers.settings import config_of, positive_int, store
from kops import windows
from kspec import public


class BaseConvTranspose(ConvLayer):
    """The transposed convolution over `rank` spatial axes."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = 1,
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
        self._set_window(kernel_size, strides, padding, data_format, dilation_rate)
        if output_padding is not None:
            given = output_padding if isinstance(output_padding, (tuple, list)) else (output_padding,) * self.rank
            output_padding = tuple(given)
        self.output_padding = output_padding
        # Says what is wrong with output_padding here, not at the first call.
        windows.transposed_crop(self.kernel_size, self.output_padding, self._geometry())
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
        self.kernel = self._add("kernel", (*self.kernel_size, self.filters, channels))
        if self.use_bias:
            self.bias = self._add("bias", (self.filters,))

    def call(self, inputs: Any) -> Any:
        x = kops.conv_transpose(
            inputs, self.kernel, self.strides, self.padding, self.output_padding, self.data_format, self.dilation_rate
        )
        return self._finish(x)

    def compute_output_shape(self, input_shape: Any) -> Any:
        g = self._geometry()
        crops = windows.transposed_crop(self.kernel_size, self.output_padding, g)
        sizes = windows.transposed_sizes(windows.spatial(tuple(input_shape), g), self.kernel_size, crops, g)
        return windows.assemble(input_shape[0], sizes, self.filters, g)

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
                "output_padding",
                "data_format",
                "dilation_rate",
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


@public("keras.layers.Conv1DTranspose", "keras.layers.Convolution1DTranspose")
class Conv1DTranspose(BaseConvTranspose):
    """Transposed convolution over one axis. Arguments as of `Conv2DTranspose`.

    Input shape `(batch, steps, channels)`, output shape `(batch, new_steps, filters)`.
    """

    rank = 1


@public("keras.layers.Conv2DTranspose", "keras.layers.Convolution2DTranspose")
class Conv2DTranspose(BaseConvTranspose):
    """Transposed convolution over two axes: makes images larger, as `Conv2D` with strides makes them smaller.

    Every input position adds the kernel, times its value, to the output; positions come to lie `strides` apart.

    Args:
        filters: number of output channels.
        kernel_size: height and width of the window, or one integer for both.
        strides: how far apart input positions come to lie in the output.
        padding: "valid" keeps all of the output, "same" gives `size * stride` positions.
        output_padding: positions added at the end, less than the stride, to choose among the sizes that a convolution
            would reduce to this one.
        data_format: "channels_last" (default) or "channels_first".
        dilation_rate: distance between the taps of the window; not together with strides.
        activation: name or function applied at the end.
        use_bias: whether a bias is added.
        kernel_initializer, bias_initializer: first values of the weights.
        kernel_regularizer, bias_regularizer, activity_regularizer: penalties on weights and output.
        kernel_constraint, bias_constraint: projections of the weights after each update.

    Input shape `(batch, height, width, channels)`, output shape `(batch, new_height, new_width, filters)`, or both
    with channels first. The kernel has shape `(height, width, filters, channels)`.

    Example:
        >>> Conv2DTranspose(8, 3, strides=2, padding="same")(np.ones((1, 14, 14, 3))).shape
        (1, 28, 28, 8)

    Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
    """

    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
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
            filters, kernel_size, strides, padding, output_padding, data_format, dilation_rate, activation,
            use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
            activity_regularizer, kernel_constraint, bias_constraint, **kwargs,
        )  # fmt: skip


@public("keras.layers.Conv3DTranspose", "keras.layers.Convolution3DTranspose")
class Conv3DTranspose(BaseConvTranspose):
    """Transposed convolution over three axes. Arguments as of `Conv2DTranspose`.

    Input shape `(batch, dim1, dim2, dim3, channels)`, output shape `(batch, new1, new2, new3, filters)`.
    """

    rank = 3

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        output_padding: Any = None,
        dilation_rate: Any = (1, 1, 1),
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
            filters, kernel_size, strides, padding, output_padding, data_format, dilation_rate, activation,
            use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
            activity_regularizer, kernel_constraint, bias_constraint, **kwargs,
        )  # fmt: skip
