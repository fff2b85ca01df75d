"""int4 EinsumDense."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from kquant.schemes.int4_matrix import Int4Matrix
from kquant.schemes.int8_einsum_dense import Int8EinsumDense
from kspec import plugin


@plugin("quantization", "int4.EinsumDense")
class Int4EinsumDense(Int4Matrix, Int8EinsumDense):
    """The kernel is kept as a matrix, reshaped: as many rows as contracted axes have elements.

    Its columns are the outputs only when the contracted axes come first in the kernel (`"abc,cde->abde"`). Otherwise
    scales cannot be taken out of the product, and the kernel is scaled before it: that is how files have it.
    """

    def build(self, layer: Any, kernel_shape: Any) -> None:
        self._remember(layer, kernel_shape)
        self.make(layer, *self._matrix_shape)

    def _remember(self, layer: Any, kernel_shape: Any) -> None:
        self._kernel_shape = tuple(kernel_shape)
        reduced = self._axes(layer).kernel_reduced
        rows = int(np.prod([kernel_shape[i] for i in reduced]))
        self._matrix_shape = rows, int(np.prod(kernel_shape)) // rows
        self._columns_are_outputs = reduced == tuple(range(len(reduced)))

    def quantize(self, layer: Any) -> None:
        kernel = layer.kernel.numpy()
        self._remember(layer, kernel.shape)
        self.replace(layer, kernel.reshape(self._matrix_shape))

    def integers(self, layer: Any) -> Any:
        return kops.reshape(self.matrix(layer), self._kernel_shape)

    def scale(self, layer: Any) -> Any:
        axes = self._axes(layer)
        n = len(axes.kernel_reduced)
        scale = kops.reshape(layer.kernel_scale, (*[1] * n, *self._kernel_shape[n:]))
        return axes.align(axes.kernel_reduced, axes.kernel_order, scale)

    def _in_floats(self, layer: Any, inputs: Any) -> Any:
        matrix = self.decode_matrix(layer)
        return kops.einsum(layer.equation, inputs, kops.reshape(matrix, self._kernel_shape))

    def decode(self, layer: Any) -> Any:
        return super().decode(layer).reshape(self._kernel_shape)

    def product(self, layer: Any, inputs: Any) -> Any:
        if self._columns_are_outputs:
            return super().product(layer, inputs)
        axes = self.input_axes(layer, inputs)
        integers, scale = self.quantizer(inputs, axis=axes.input_reduced)
        return self._in_floats(layer, kops.divide(kops.cast(integers, layer.compute_dtype), scale))
