"""Attention and AdditiveAttention."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layer import Layer
from klayers.layers.dropout import check_rate
from klayers.layers.settings import choice, config_of
from kops import random
from kops.keras_tensor import KerasTensor
from kspec import public


@public("keras.layers.Attention")
class Attention(Layer):
    """`softmax(scores) value`, the score of a query and a key being their product.

    Args:
        use_scale: whether the scores are multiplied with a trained number.
        score_mode: "dot" (their product) or "concat" (the sum of tanh of the sum of both).
        dropout: share of the attention weights dropped in training.
        seed: of the dropout.

    Call:
        inputs `[query, value]` or `[query, value, key]`: `(batch, target, dim)`, `(batch, source, dim)`,
        `(batch, source, dim)`; `mask`: `[query mask, value mask]`, each `(batch, length)` or None; `training`;
        `return_attention_scores`; `use_causal_mask`: no position sees a later one.

    Returns:
        `(batch, target, dim)`; with scores also those, `(batch, target, source)`.

    Source: Luong et al., "Effective approaches to attention-based neural machine translation", 2015.
    """

    def __init__(
        self, use_scale: bool = False, score_mode: str = "dot", dropout: float = 0.0, seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale
        self.score_mode = choice(score_mode, "score_mode", ("dot", "concat"))
        self.dropout = check_rate(dropout)
        self.seed = seed
        if self.dropout > 0:
            self.seed_generator = random.SeedGenerator(seed)
        self.supports_masking = True
        self.scale: Any = None
        self.concat_score_weight: Any = None

    def build(self, input_shape: Any) -> None:
        self._check(input_shape)
        if self.use_scale:
            self.scale = self.add_weight(name="scale", shape=(), initializer="ones")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight(name="concat_score_weight", shape=(), initializer="ones")

    def _check(self, inputs: Any) -> None:
        if not isinstance(inputs, (list, tuple)) or len(inputs) not in (2, 3):
            raise ValueError(f"{type(self).__name__} takes [query, value] or [query, value, key], not {inputs!r}.")

    def _scores(self, query: Any, key: Any) -> Any:
        if self.score_mode == "dot":
            scores = kops.matmul(query, kops.swapaxes(key, -2, -1))
            return scores if self.scale is None else scores * self.scale
        both = kops.expand_dims(query, -2) + kops.expand_dims(key, -3)
        both = both if self.scale is None else both * self.scale
        return self.concat_score_weight * kops.sum(kops.tanh(both), axis=-1)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: bool = False,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        self._check(inputs)
        query, value = inputs[:2]
        key = inputs[2] if len(inputs) == 3 else value
        query_mask, value_mask = self._masks(mask)
        scores = self._scores(query, key)
        allowed = None if value_mask is None else kops.expand_dims(kops.cast(value_mask, "bool"), -2)
        if use_causal_mask:
            ones = kops.ones_like(scores, dtype="int32")
            earlier = kops.cumsum(ones, axis=-1) <= kops.cumsum(ones, axis=-2)
            allowed = earlier if allowed is None else kops.logical_and(allowed, earlier)
        if allowed is not None:
            low = -65504.0 if kops.standardize_dtype(scores.dtype) == "float16" else -1e9
            scores = kops.where(allowed, scores, low)
        weights = kops.softmax(scores, axis=-1)
        if training and self.dropout > 0:
            weights = random.dropout(weights, self.dropout, seed=self.seed_generator)
        result = kops.matmul(weights, value)
        if query_mask is not None:
            result = result * kops.cast(kops.expand_dims(query_mask, -1), result.dtype)
        return (result, weights) if return_attention_scores else result

    def _masks(self, mask: Any) -> tuple[Any, Any]:
        if mask is None:
            return None, None
        if not isinstance(mask, (list, tuple)) or len(mask) not in (2, 3):
            raise ValueError(f"{type(self).__name__} takes its masks as [query mask, value mask], not {mask!r}.")
        return mask[0], mask[1]

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return self._masks(mask)[0]

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape[0][:-1], input_shape[1][-1])

    def compute_output_spec(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        self._check(inputs)
        query, value = inputs[0].shape, inputs[1].shape
        output = KerasTensor(self.compute_output_shape([query, value]), dtype=self.compute_dtype)
        if not return_attention_scores:
            return output
        return output, KerasTensor((*query[:-1], value[-2]), dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **config_of(self, "use_scale", "score_mode", "dropout", "seed")}


@public("keras.layers.AdditiveAttention")
class AdditiveAttention(Attention):
    """Attention in which the score of a query and a key is the sum of `tanh(query + key)`.

    Args:
        use_scale: whether the elements are multiplied with trained numbers before they are added up.
        dropout: share of the attention weights dropped in training.

    Call and result: see `Attention`.

    Source: Bahdanau et al., "Neural machine translation by jointly learning to align and translate", 2014.
    """

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(use_scale=use_scale, dropout=dropout, **kwargs)

    def build(self, input_shape: Any) -> None:
        self._check(input_shape)
        if self.use_scale:
            dim = input_shape[0][-1]
            if dim is None:
                raise ValueError(f"AdditiveAttention needs to know the size of the last axis, not {input_shape[0]}.")
            self.scale = self.add_weight(name="scale", shape=(dim,), initializer="glorot_uniform")

    def _scores(self, query: Any, key: Any) -> Any:
        both = kops.tanh(kops.expand_dims(query, -2) + kops.expand_dims(key, -3))
        return kops.sum(both if self.scale is None else both * self.scale, axis=-1)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["score_mode"]
        return config
