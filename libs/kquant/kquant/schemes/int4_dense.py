"""int4 Dense."""

from __future__ import annotations

from typing import Any

import kops
from kquant.schemes.int4_matrix import Int4Matrix
from kquant.schemes.int8_dense import Int8Dense
from kspec import plugin


@plugin("quantization", "int4.Dense")
class Int4Dense(Int4Matrix, Int8Dense):
    """Two weights in a byte, unpacked at each call. An eighth of the memory of float32, and slower than float32."""

    def build(self, layer: Any, kernel_shape: Any) -> None:
        self.make(layer, *kernel_shape)

    def quantize(self, layer: Any) -> None:
        self.replace(layer, layer.kernel.numpy())

    def integers(self, layer: Any) -> Any:
        return self.matrix(layer)

    def _in_floats(self, layer: Any, inputs: Any) -> Any:
        if self.block > 0:
            return kops.matmul(inputs, self.float_matrix(layer))
        return super()._in_floats(layer, inputs)
