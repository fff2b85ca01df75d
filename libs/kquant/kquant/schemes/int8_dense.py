"""int8 Dense: an integer product, scaled back."""

from __future__ import annotations

from typing import Any

import kops
from kquant.schemes.scheme import Scheme
from kspec import plugin


@plugin("quantization", "int8.Dense")
class Int8Dense(Scheme):
    """`kernel` is int8 with one scale per output; inputs get a scale per vector, found as they come.

    `inputs ~ q / s` and `kernel ~ w / t` give `inputs @ kernel ~ (q @ w) / (s t)`, where `q @ w` is exact in int32.

    Source: Dettmers et al., "LLM.int8(): 8-bit matrix multiplication for transformers at scale", 2022 (vector-wise
    quantization).
    """

    mode = "int8"
    takes_lora = True

    def build(self, layer: Any, kernel_shape: Any) -> None:
        self.quantizer = self.input_quantizer(layer)
        layer.kernel = layer.add_weight(
            name="kernel", shape=kernel_shape, initializer="zeros", dtype="int8", trainable=False
        )
        layer.kernel_scale = layer.add_weight(
            name="kernel_scale", shape=(layer.units,), initializer="ones", trainable=False
        )

    def quantize(self, layer: Any) -> None:
        kernel = layer.kernel.numpy()
        values = self.encode(layer, kernel)
        self.exchange(layer, "kernel", lambda layer: self.build(layer, kernel.shape))
        self.fill(layer, values)

    def encode(self, layer: Any, kernel: Any) -> dict[str, Any]:
        integers, scale = self.quantize_weight(layer, kernel, axis=0)
        return {"kernel": integers, "kernel_scale": scale.reshape(-1)}

    def decode(self, layer: Any) -> Any:
        return layer.kernel.numpy().astype("float32") / layer.kernel_scale.numpy().astype("float32")

    def file_variables(self, layer: Any) -> list[Any]:
        """In the order of files: kernel, bias, scale."""
        bias = [] if layer.bias is None else [layer.bias]
        return [layer.kernel, *bias, layer.kernel_scale]

    def integers(self, layer: Any) -> Any:
        """The kernel as int8."""
        return layer.kernel

    def _in_floats(self, layer: Any, inputs: Any) -> Any:
        kernel = kops.cast(self.integers(layer), layer.compute_dtype)
        return kops.divide(kops.matmul(inputs, kernel), layer.kernel_scale)

    def call(self, layer: Any, inputs: Any, training: Any = None) -> Any:
        if self.quantizer is None:
            x = self._in_floats(layer, inputs)
        else:
            integers, scale = self.quantizer(inputs, axis=-1)
            x = kops.cast(kops.matmul(integers, self.integers(layer)), layer.compute_dtype)
            x = kops.divide(x, kops.multiply(scale, layer.kernel_scale))
            x = self.differentiable(x, lambda: self._in_floats(layer, inputs))
        x = self.adapted(layer, x, lambda update: kops.matmul(inputs, update))
        if layer.bias is not None:
            x = kops.add(x, layer.bias)
        return x if layer.activation is None else layer.activation(x)
