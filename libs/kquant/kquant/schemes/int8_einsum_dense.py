"""int8 EinsumDense: the integer product over any axes."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from kquant.einsum_axes import EinsumAxes, axes_of
from kquant.schemes.scheme import Scheme
from kspec import plugin


@plugin("quantization", "int8.EinsumDense")
class Int8EinsumDense(Scheme):
    """As int8 Dense: one scale per output of the kernel, one per contracted slice of the input."""

    mode = "int8"
    takes_lora = True

    def build(self, layer: Any, kernel_shape: Any) -> None:
        self.quantizer = self.input_quantizer(layer)
        layer.kernel = layer.add_weight(
            name="kernel", shape=kernel_shape, initializer="zeros", dtype="int8", trainable=False
        )
        layer.kernel_scale = layer.add_weight(
            name="kernel_scale",
            shape=self._axes(layer).kernel_scale_shape(kernel_shape),
            initializer="ones",
            trainable=False,
        )

    def quantize(self, layer: Any) -> None:
        kernel = layer.kernel.numpy()
        values = self.encode(layer, kernel)
        self.exchange(layer, "kernel", lambda layer: self.build(layer, kernel.shape))
        self.fill(layer, values)

    def encode(self, layer: Any, kernel: Any) -> dict[str, Any]:
        axes = self._axes(layer)
        integers, scale = self.quantize_weight(layer, kernel, axis=axes.kernel_reduced)
        return {
            "kernel": integers,
            "kernel_scale": axes.align(axes.kernel_reduced, axes.kernel_order, np.asarray(scale)),
        }

    def decode(self, layer: Any) -> Any:
        scale = self._axes(layer).kernel_layout(layer.kernel_scale.numpy().astype("float32"))
        return layer.kernel.numpy().astype("float32") / scale

    @staticmethod
    def _axes(layer: Any) -> EinsumAxes:
        """For inputs of the rank that the layer was built with."""
        return axes_of(layer.equation, output_rank=len(layer.full_output_shape))

    def file_variables(self, layer: Any) -> list[Any]:
        """In the order of files: kernel, bias, scale."""
        bias = [] if layer.bias is None else [layer.bias]
        return [layer.kernel, *bias, layer.kernel_scale]

    def integers(self, layer: Any) -> Any:
        """The kernel as int8."""
        return layer.kernel

    def scale(self, layer: Any) -> Any:
        """The kernel's scale, laid out as the output."""
        return layer.kernel_scale

    def _in_floats(self, layer: Any, inputs: Any) -> Any:
        kernel = kops.cast(self.integers(layer), layer.compute_dtype)
        return kops.divide(kops.einsum(layer.equation, inputs, kernel), self.scale(layer))

    @staticmethod
    def input_axes(layer: Any, inputs: Any) -> EinsumAxes:
        """For these inputs; an ellipsis may cover more axes than at build."""
        return axes_of(layer.equation, input_rank=len(inputs.shape))

    def product(self, layer: Any, inputs: Any) -> Any:
        """The einsum, with quantized inputs."""
        axes = self.input_axes(layer, inputs)
        integers, scale = self.quantizer(inputs, axis=axes.input_reduced)
        x = kops.cast(axes.product(integers, self.integers(layer)), layer.compute_dtype)
        scale = axes.align(axes.input_reduced, axes.input_order, scale)
        return kops.divide(x, kops.multiply(scale, self.scale(layer)))

    def call(self, layer: Any, inputs: Any, training: Any = None) -> Any:
        if self.quantizer is None:
            x = self._in_floats(layer, inputs)
        else:
            x = self.differentiable(self.product(layer, inputs), lambda: self._in_floats(layer, inputs))
        x = self.adapted(layer, x, lambda update: kops.einsum(layer.equation, inputs, update))
        if layer.bias is not None:
            x = kops.add(x, layer.bias)
        return layer.activation(x)
