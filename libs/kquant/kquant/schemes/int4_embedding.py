"""int4 Embedding."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from kquant.abs_max_grouped import abs_max_quantize_grouped_with_zero_point
from kquant.int4_packing import pack_int4, unpack_int4
from kquant.schemes.int4_matrix import RANGE, Int4Scheme
from kspec import plugin


@plugin("quantization", "int4.Embedding")
class Int4Embedding(Int4Scheme):
    """Rows of packed integers; only those that are looked up get unpacked. Blocks run along a row."""

    takes_lora = True

    def build(self, layer: Any, kernel_shape: Any) -> None:
        rows, columns = kernel_shape
        self.block = self.block_size(layer)
        self.add(layer, "embeddings", (rows, -(-columns // 2)), "int8")
        if self.block > 0:
            blocks = -(-columns // self.block)
            self.add(layer, "embeddings_scale", (rows, blocks), initializer="ones")
            self.add(layer, "embeddings_zero", (rows, blocks), "int8")
            self.add(layer, "g_idx", (columns,), "float32")
            layer.g_idx.assign(np.arange(columns) // self.block)
        else:
            self.add(layer, "embeddings_scale", (rows,), initializer="ones")

    def quantize(self, layer: Any) -> None:
        table = layer.embeddings.numpy()
        values = self._encode(layer, table, self.config(layer).block_size or -1)
        self.exchange(layer, "embeddings", lambda layer: self.build(layer, table.shape))
        self.fill(layer, values)

    def _encode(self, layer: Any, table: np.ndarray, block: int) -> dict[str, Any]:
        if block > 0:
            parts = abs_max_quantize_grouped_with_zero_point(table.T, block, RANGE, to_numpy=True)
            integers, scale, zero = (np.ascontiguousarray(part.T) for part in parts)
            zeros = {"embeddings_zero": zero}
        else:
            integers, scale = self.quantize_weight(layer, table, axis=-1)
            scale, zeros = np.reshape(scale, (-1,)), {}
        packed = pack_int4(np.asarray(integers), axis=-1)[0]
        return {"embeddings": packed, "embeddings_scale": scale, **zeros}

    def encode(self, layer: Any, table: np.ndarray) -> dict[str, Any]:
        return self._encode(layer, table, self.block)

    def decode(self, layer: Any) -> Any:
        rows = self._rows(layer, np.arange(layer.input_dim, dtype="int32"))
        return kops.convert_to_numpy(rows).astype("float32")

    def file_variables(self, layer: Any) -> list[Any]:
        """In the order of files."""
        blocks = [layer.embeddings_zero, layer.g_idx] if self.block > 0 else []
        return [layer.embeddings, layer.embeddings_scale, *blocks]

    def call(self, layer: Any, inputs: Any) -> Any:
        if kops.standardize_dtype(inputs.dtype) not in ("int32", "int64"):
            inputs = kops.cast(inputs, "int32")
        return self.adapted_rows(layer, self._rows(layer, inputs), inputs)

    def _rows(self, layer: Any, inputs: Any) -> Any:
        """The floats of the rows that are asked for."""
        dtype = layer.compute_dtype
        packed = kops.take(layer.embeddings, inputs, axis=0)
        rows = kops.cast(unpack_int4(packed, layer.output_dim, axis=-1), dtype)
        scale = kops.cast(kops.take(layer.embeddings_scale, inputs, axis=0), dtype)
        if self.block <= 0:
            return kops.divide(rows, kops.expand_dims(scale, -1))
        group = kops.cast(layer.g_idx, "int32")
        zero = kops.cast(kops.take(layer.embeddings_zero, inputs, axis=0), dtype)
        rows = kops.subtract(rows, kops.take(zero, group, axis=-1))
        return kops.multiply(rows, kops.take(scale, group, axis=-1))
