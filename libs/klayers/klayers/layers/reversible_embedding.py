"""ReversibleEmbedding: an embedding that also maps vectors back to scores of the integers."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.embedding import Embedding
from kops.dtypes import is_float_dtype, standardize_dtype
from kops.keras_tensor import KerasTensor
from kspec import public


@public("keras.layers.ReversibleEmbedding")
class ReversibleEmbedding(Embedding):
    """`Embedding`, and with `reverse=True` its counterpart at the other end of a language model.

    Args:
        input_dim: number of rows; inputs are from 0 to `input_dim - 1`.
        output_dim: length of a row.
        tie_weights: whether both directions use one table; otherwise the reverse has one of its own.
        embeddings_initializer, embeddings_regularizer, embeddings_constraint: of the tables.
        mask_zero: whether 0 stands for padding, which the layers that follow leave out.
        reverse_dtype: dtype in which scores are computed; default the compute dtype.
        logit_soft_cap: if given, scores are `cap * tanh(scores / cap)`.

    Call arguments:
        inputs: integers, or with `reverse` vectors `(..., output_dim)`, which give scores `(..., input_dim)`.
        reverse: the direction.

    Sources: Press and Wolf, "Using the output embedding to improve language models", 2017; Gemma Team, "Gemma 2",
    2024 (soft cap).
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        tie_weights: bool = True,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        reverse_dtype: Any = None,
        logit_soft_cap: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            input_dim,
            output_dim,
            embeddings_initializer=embeddings_initializer,
            embeddings_regularizer=embeddings_regularizer,
            embeddings_constraint=embeddings_constraint,
            mask_zero=mask_zero,
            **kwargs,
        )
        self.tie_weights = tie_weights
        self.reverse_dtype = reverse_dtype
        if logit_soft_cap is not None and not logit_soft_cap > 0:
            raise ValueError(f"logit_soft_cap must be positive or None, not {logit_soft_cap!r}.")
        self.logit_soft_cap = logit_soft_cap

    def build(self, input_shape: Any = None) -> None:
        super().build(input_shape)
        if not self.tie_weights and not self.quantization_mode:
            self.reverse_embeddings = self.add_weight(
                name="reverse_embeddings",
                shape=(self.output_dim, self.input_dim),
                initializer=self.embeddings_initializer,
                regularizer=self.embeddings_regularizer,
                constraint=self.embeddings_constraint,
            )

    def _reverse_dtype(self) -> str:
        return self.compute_dtype if self.reverse_dtype is None else standardize_dtype(self.reverse_dtype)

    def call(self, inputs: Any, reverse: bool = False) -> Any:
        if not reverse:
            return super().call(inputs)
        dtype = self._reverse_dtype()
        table = kops.transpose(self.embeddings) if self.tie_weights else self.reverse_embeddings
        logits = kops.matmul(kops.cast(inputs, dtype), kops.cast(table, dtype))
        if self.logit_soft_cap is None:
            return logits
        capped = kops.tanh(kops.divide(logits, self.logit_soft_cap))
        return kops.multiply(capped, self.logit_soft_cap)

    def compute_output_shape(self, input_shape: Any, reverse: bool = False) -> Any:
        return (*input_shape[:-1], self.input_dim) if reverse else super().compute_output_shape(input_shape)

    def compute_output_spec(self, inputs: Any, reverse: bool = False) -> Any:
        if not reverse:
            return super().compute_output_spec(inputs)
        return KerasTensor(self.compute_output_shape(inputs.shape, True), dtype=self._reverse_dtype())

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if is_float_dtype(inputs.dtype):
            return mask  # in reverse, what was padding stays padding
        return super().compute_mask(inputs, mask)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "tie_weights": self.tie_weights,
            "reverse_dtype": self.reverse_dtype,
            "logit_soft_cap": self.logit_soft_cap,
        }
