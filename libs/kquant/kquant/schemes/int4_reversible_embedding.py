"""int4 ReversibleEmbedding."""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from kquant.abs_max_grouped import abs_max_quantize_grouped_with_zero_point
from kquant.int4_packing import pack_int4, unpack_int4
from kquant.schemes.int4_embedding import Int4Embedding
from kquant.schemes.int4_matrix import RANGE
from kspec import plugin


@plugin("quantization", "int4.ReversibleEmbedding")
class Int4ReversibleEmbedding(Int4Embedding):
    """A tied table serves both directions; an own reverse table is packed along its rows. Vectors stay floats."""

    takes_lora = False  # it would be missing from the reverse

    def build(self, layer: Any, kernel_shape: Any) -> None:
        super().build(layer, kernel_shape)
        if layer.tie_weights:
            return
        columns, rows = kernel_shape
        self.add(layer, "reverse_embeddings", (-(-rows // 2), columns), "int8")
        if self.block > 0:
            blocks = -(-rows // self.block)
            self.add(layer, "reverse_embeddings_scale", (blocks, columns), initializer="ones")
            self.add(layer, "reverse_embeddings_zero", (blocks, columns))  # a float, unlike the others
        else:
            self.add(layer, "reverse_embeddings_scale", (columns,), initializer="ones")

    def quantize(self, layer: Any) -> None:
        if layer.tie_weights:
            super().quantize(layer)
            return
        table = layer.reverse_embeddings.numpy()
        block = self.config(layer).block_size or -1
        if block > 0:
            integers, scale, zero = abs_max_quantize_grouped_with_zero_point(table, block, RANGE, to_numpy=True)
        else:
            integers, scale = self.quantize_weight(layer, table, axis=0)
            scale = np.reshape(scale, (-1,))
        kept = layer.reverse_embeddings
        self.forget(layer, "reverse_embeddings")
        try:
            super().quantize(layer)
        except Exception:
            layer.reverse_embeddings = kept
            layer._own_variables.append(kept)
            raise
        layer.reverse_embeddings.assign(pack_int4(np.asarray(integers), axis=0)[0])
        layer.reverse_embeddings_scale.assign(scale)
        if block > 0:
            layer.reverse_embeddings_zero.assign(zero)

    def file_variables(self, layer: Any) -> list[Any]:
        reverse = []
        if not layer.tie_weights:
            reverse = [layer.reverse_embeddings, layer.reverse_embeddings_scale]
            reverse += [layer.reverse_embeddings_zero] if self.block > 0 else []
        return [*super().file_variables(layer), *reverse]

    def _reverse_table(self, layer: Any, dtype: str) -> Any:
        """The floats, `(output_dim, input_dim)`."""
        if layer.tie_weights:
            integers = kops.transpose(unpack_int4(layer.embeddings, layer.output_dim, axis=-1))
            scale, zero = layer.embeddings_scale, getattr(layer, "embeddings_zero", None)
            if zero is not None:
                scale, zero = kops.transpose(scale), kops.transpose(zero)
        else:
            integers = unpack_int4(layer.reverse_embeddings, layer.output_dim, axis=0)
            scale, zero = layer.reverse_embeddings_scale, getattr(layer, "reverse_embeddings_zero", None)
        integers, scale = kops.cast(integers, dtype), kops.cast(scale, dtype)
        if zero is None:
            return kops.divide(integers, scale)
        group = kops.cast(layer.g_idx, "int32")
        zero = kops.take(kops.cast(zero, dtype), group, axis=0)
        return kops.multiply(kops.subtract(integers, zero), kops.take(scale, group, axis=0))

    def call(self, layer: Any, inputs: Any, reverse: bool = False) -> Any:
        if not reverse:
            return super().call(layer, inputs)
        dtype = layer._reverse_dtype()
        logits = kops.matmul(kops.cast(inputs, dtype), self._reverse_table(layer, dtype))
        if layer.logit_soft_cap is None:
            return logits
        return kops.multiply(kops.tanh(kops.divide(logits, layer.logit_soft_cap)), layer.logit_soft_cap)
