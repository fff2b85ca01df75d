"""A matrix of 4-bit integers on a layer: packed along its columns, with scales per column or per block of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from kquant.abs_max_grouped import abs_max_quantize_grouped_with_zero_point
from kquant.int4_packing import pack_int4, unpack_int4
from kquant.quantizers import AbsMaxQuantizer
from kquant.schemes.scheme import Scheme

RANGE = (-8, 7)


class Int4Scheme(Scheme):
    """What the int4 schemes share: the size of blocks and its place in the dtype policy."""

    mode = "int4"

    def policy_mode(self, layer: Any) -> str:
        return f"int4/{self.config(layer).block_size or -1}"

    def block_size(self, layer: Any) -> int:
        """Rows per block; -1 when a scale is shared by a whole column."""
        policy = layer._policy_here
        return getattr(policy, "block_size", -1)

    def weight_quantizer(self, layer: Any, axis: Any) -> Any:
        quantizer = self.config(layer).weight_quantizer
        return AbsMaxQuantizer(axis=axis, value_range=RANGE) if quantizer is None else quantizer

    @staticmethod
    def add(layer: Any, name: str, shape: Any, dtype: Any = None, initializer: str = "zeros") -> None:
        """Make a variable that is not trained, and keep it as an attribute."""
        made = layer.add_weight(name=name, shape=shape, dtype=dtype, initializer=initializer, trainable=False)
        setattr(layer, name, made)


class Int4Matrix(Int4Scheme):
    """`kernel` of Dense and EinsumDense, as a matrix `(rows, columns)` whose rows are contracted.

    With blocks: `kernel ~ (integers - kernel_zero[g]) * kernel_scale[g]`, where `g_idx` says the block `g` of each row.
    Without: `kernel ~ integers / kernel_scale`.
    """

    def make(self, layer: Any, rows: int, columns: int) -> None:
        """Add the variables."""
        self.columns = columns
        self.block = self.block_size(layer)
        self.quantizer: Any = None if self.block > 0 else self.input_quantizer(layer)
        self.add(layer, "kernel", (rows, -(-columns // 2)), "int8")
        if self.block > 0:
            blocks = -(-rows // self.block)
            self.add(layer, "kernel_scale", (blocks, columns), initializer="ones")
            self.add(layer, "kernel_zero", (blocks, columns), "int8")
            self.add(layer, "g_idx", (rows,), "float32")
            layer.g_idx.assign(np.arange(rows) // self.block)
        else:
            self.add(layer, "kernel_scale", (columns,), initializer="ones")

    def replace(self, layer: Any, matrix: np.ndarray) -> None:
        """Quantize the matrix into variables that take the place of the float kernel."""
        values = self.encode_matrix(layer, matrix, self.config(layer).block_size or -1)
        self.exchange(layer, "kernel", lambda layer: self.make(layer, *matrix.shape))
        self.fill(layer, values)

    def encode_matrix(self, layer: Any, matrix: np.ndarray, block: int) -> dict[str, Any]:
        """The variables' values for a matrix."""
        if block > 0:
            integers, scale, zero = abs_max_quantize_grouped_with_zero_point(matrix, block, RANGE, to_numpy=True)
            zeros = {"kernel_zero": zero}
        else:
            integers, scale = self.quantize_weight(layer, matrix, axis=0)
            scale, zeros = np.reshape(scale, (-1,)), {}
        packed = pack_int4(np.asarray(integers), axis=-1)[0]
        return {"kernel": packed, "kernel_scale": scale, **zeros}

    def encode(self, layer: Any, kernel: np.ndarray) -> dict[str, Any]:
        rows = layer.g_idx.shape[0] if self.block > 0 else layer.kernel.shape[0]
        return self.encode_matrix(layer, kernel.reshape(rows, self.columns), self.block)

    def decode_matrix(self, layer: Any) -> Any:
        """The matrix as floats."""
        if self.block > 0:
            return self.float_matrix(layer)
        return kops.divide(kops.cast(self.matrix(layer), layer.compute_dtype), layer.kernel_scale)

    def decode(self, layer: Any) -> Any:
        return kops.convert_to_numpy(self.decode_matrix(layer)).astype("float32")

    def file_variables(self, layer: Any) -> list[Any]:
        """In the order of files: kernel, bias, scale, and with blocks zero points and the rows' blocks."""
        bias = [] if layer.bias is None else [layer.bias]
        blocks = [layer.kernel_zero, layer.g_idx] if self.block > 0 else []
        return [layer.kernel, *bias, layer.kernel_scale, *blocks]

    def matrix(self, layer: Any) -> Any:
        """The integers, as int8 `(rows, columns)`."""
        return unpack_int4(layer.kernel, self.columns, axis=-1)

    def float_matrix(self, layer: Any) -> Any:
        """The matrix with blocks, in the compute dtype."""
        dtype = layer.compute_dtype
        group = kops.cast(layer.g_idx, "int32")
        zero = kops.cast(kops.take(layer.kernel_zero, group, axis=0), dtype)
        scale = kops.take(layer.kernel_scale, group, axis=0)
        return kops.multiply(kops.subtract(kops.cast(self.matrix(layer), dtype), zero), scale)
