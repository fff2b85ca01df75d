"""int8 Embedding: rows of integers, each with its scale."""

from __future__ import annotations

from typing import Any

import kops
from kquant.schemes.scheme import Scheme
from kspec import plugin


@plugin("quantization", "int8.Embedding")
class Int8Embedding(Scheme):
    """`embeddings` is int8 with one scale per row; what is looked up is `row / scale`."""

    mode = "int8"
    takes_lora = True

    def build(self, layer: Any, kernel_shape: Any) -> None:
        layer.embeddings = layer.add_weight(
            name="embeddings", shape=kernel_shape, initializer="zeros", dtype="int8", trainable=False
        )
        layer.embeddings_scale = layer.add_weight(
            name="embeddings_scale", shape=(layer.input_dim,), initializer="ones", trainable=False
        )

    def quantize(self, layer: Any) -> None:
        table = layer.embeddings.numpy()
        values = self.encode(layer, table)
        self.exchange(layer, "embeddings", lambda layer: self.build(layer, table.shape))
        self.fill(layer, values)

    def encode(self, layer: Any, table: Any) -> dict[str, Any]:
        integers, scale = self.quantize_weight(layer, table, axis=-1)
        return {"embeddings": integers, "embeddings_scale": scale.reshape(-1)}

    def decode(self, layer: Any) -> Any:
        scale = layer.embeddings_scale.numpy().astype("float32")
        return layer.embeddings.numpy().astype("float32") / scale[:, None]

    def file_variables(self, layer: Any) -> list[Any]:
        """In the order of files."""
        return [layer.embeddings, layer.embeddings_scale]

    def call(self, layer: Any, inputs: Any) -> Any:
        if kops.standardize_dtype(inputs.dtype) not in ("int32", "int64"):
            inputs = kops.cast(inputs, "int32")
        rows = kops.cast(kops.take(layer.embeddings, inputs, axis=0), layer.compute_dtype)
        scale = kops.cast(kops.take(layer.embeddings_scale, inputs, axis=0), layer.compute_dtype)
        rows = kops.divide(rows, kops.expand_dims(scale, -1))
        return self.adapted_rows(layer, rows, inputs)
