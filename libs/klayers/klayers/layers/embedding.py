"""Embedding: a learned vector for each integer."""

from __future__ import annotations

from typing import Any

import kops
from klayers.adapters import Adaptable, AdaptedWeight
from klayers.layer_quantization import dump_config, load_config
from klayers.layers.settings import config_of, positive_int, store
from kops.keras_tensor import KerasTensor
from kspec import public


@public("keras.layers.Embedding")
class Embedding(Adaptable):
    """Turns integers into rows of a table that is learned.

    Args:
        input_dim: number of rows; inputs are from 0 to `input_dim - 1`.
        output_dim: length of a row.
        embeddings_initializer, embeddings_regularizer, embeddings_constraint: of the table.
        mask_zero: whether 0 stands for padding, which the layers that follow leave out.
        weights: a table to start from, `(input_dim, output_dim)`, or a list that holds it.
        lora_rank: if given, `enable_lora(lora_rank, lora_alpha)` is called when the layer has been built.
        lora_alpha: scale of the low-rank update; default the rank.
        quantization_config: how to quantize, see kquant.

    Input of any shape, output `(*input_shape, output_dim)`.

    Example:
        >>> Embedding(1000, 64)(np.array([[3, 14, 15]])).shape
        (1, 3, 64)
    """

    embeddings = AdaptedWeight()
    _adapted = "embeddings"

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        weights: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        quantization_config: Any = None,
        **kwargs: Any,
    ) -> None:
        input_length = kwargs.pop("input_length", None)
        if input_length is not None and "input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,)
        super().__init__(**kwargs)
        self.input_dim = positive_int(input_dim, "input_dim")
        self.output_dim = positive_int(output_dim, "output_dim")
        store(
            self,
            embeddings_initializer=embeddings_initializer,
            embeddings_regularizer=embeddings_regularizer,
            embeddings_constraint=embeddings_constraint,
        )
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        # Inputs are integers: they are not to be cast to the compute dtype.
        self.autocast = False
        self.quantization_config = load_config(quantization_config)
        if weights is not None:
            self.build(None)
            if not isinstance(weights, list):
                weights = [weights]
            self.set_weights(weights)
        self._expect_lora(lora_rank, lora_alpha)

    def build(self, input_shape: Any = None) -> None:
        if self.built:
            return
        if self.quantization_mode:
            self.quantized_build((self.input_dim, self.output_dim), self.quantization_mode)
            return
        self.embeddings = self.add_weight(
            name="embeddings",
            shape=(self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
        )

    def quantized_build(self, embeddings_shape: Any, mode: str, config: Any = None) -> None:
        """Make the variables of a quantized table `(input_dim, output_dim)`; the scheme is kquant's."""
        if config is not None:
            self.quantization_config = config
        super().quantized_build(embeddings_shape, mode)

    def call(self, inputs: Any) -> Any:
        if kops.standardize_dtype(inputs.dtype) not in ("int32", "int64"):
            inputs = kops.cast(inputs, "int32")
        lora = self._lora
        rows = kops.take(self.embeddings, inputs, axis=0) if lora is None else lora.rows(inputs)
        return kops.cast(rows, self.compute_dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape, self.output_dim)

    def compute_output_spec(self, inputs: Any) -> Any:
        return KerasTensor(self.compute_output_shape(inputs.shape), dtype=self.compute_dtype)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return kops.not_equal(inputs, 0) if self.mask_zero else None

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config.pop("activity_regularizer", None)
        return {
            **config,
            **config_of(
                self,
                "input_dim",
                "output_dim",
                "embeddings_initializer",
                "embeddings_regularizer",
                "activity_regularizer",
                "embeddings_constraint",
                "mask_zero",
            ),
            "quantization_config": dump_config(self.quantization_config),
        }
