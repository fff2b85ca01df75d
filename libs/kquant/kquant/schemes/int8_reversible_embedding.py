"""int8 ReversibleEmbedding: the table of Embedding, also multiplied from the other side."""

from __future__ import annotations

from typing import Any

import kops
from kquant.schemes.int8_embedding import Int8Embedding
from kspec import plugin


@plugin("quantization", "int8.ReversibleEmbedding")
class Int8ReversibleEmbedding(Int8Embedding):
    """A tied table serves both directions: its scale per row is the scale per score of the reverse."""

    takes_lora = False  # it would be missing from the reverse

    def build(self, layer: Any, kernel_shape: Any) -> None:
        super().build(layer, kernel_shape)
        self.quantizer = self.input_quantizer(layer)
        if layer.tie_weights:
            return
        layer.reverse_embeddings = layer.add_weight(
            name="reverse_embeddings",
            shape=(layer.output_dim, layer.input_dim),
            initializer="zeros",
            dtype="int8",
            trainable=False,
        )
        layer.reverse_embeddings_scale = layer.add_weight(
            name="reverse_embeddings_scale", shape=(layer.input_dim,), initializer="ones", trainable=False
        )

    def quantize(self, layer: Any) -> None:
        reverse = None
        if not layer.tie_weights:
            reverse = self.quantize_weight(layer, layer.reverse_embeddings.numpy(), axis=0)
            kept = layer.reverse_embeddings
            self.forget(layer, "reverse_embeddings")
        try:
            super().quantize(layer)
        except Exception:
            if reverse is not None:
                layer.reverse_embeddings = kept
                layer._own_variables.append(kept)
            raise
        if reverse is not None:
            integers, scale = reverse
            layer.reverse_embeddings.assign(integers)
            layer.reverse_embeddings_scale.assign(scale.reshape(-1))

    def file_variables(self, layer: Any) -> list[Any]:
        reverse = [] if layer.tie_weights else [layer.reverse_embeddings, layer.reverse_embeddings_scale]
        return [*super().file_variables(layer), *reverse]

    def call(self, layer: Any, inputs: Any, reverse: bool = False) -> Any:
        if not reverse:
            return super().call(layer, inputs)
        dtype = layer._reverse_dtype()
        inputs = kops.cast(inputs, dtype)
        if layer.tie_weights:
            table, t = kops.transpose(layer.embeddings), layer.embeddings_scale
        else:
            table, t = layer.reverse_embeddings, layer.reverse_embeddings_scale
        t = kops.cast(t, dtype)

        def in_floats() -> Any:
            return kops.divide(kops.matmul(inputs, kops.cast(table, dtype)), t)

        if self.quantizer is None:
            logits = in_floats()
        else:
            integers, s = self.quantizer(inputs, axis=-1)
            logits = kops.divide(kops.cast(kops.matmul(integers, table), dtype), kops.multiply(s, t))
            logits = self.differentiable(logits, in_floats)
        if layer.logit_soft_cap is None:
            return logits
        return kops.multiply(kops.tanh(kops.divide(logits, layer.logit_soft_cap)), layer.logit_soft_cap)
