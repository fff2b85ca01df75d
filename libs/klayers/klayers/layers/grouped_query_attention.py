"""GroupQueryAttention."""

from __future__ import annotations

from typing import Any, Iterator

import kops
from klayers.layers.multi_head_attention import MultiHeadAttention
from klayers.layers.settings import positive_int
from kspec import public

_PROJECTIONS = ("query_dense", "key_dense", "value_dense", "output_dense")


@public("keras.layers.GroupQueryAttention")
class GroupedQueryAttention(MultiHeadAttention):
    """`MultiHeadAttention` in which several heads of the query share one head of key and value.

    Args:
        head_dim: size of each head.
        num_query_heads: number of heads of the query.
        num_key_value_heads: number of heads of key and value; divides `num_query_heads`. With 1 it is multi-query
            attention.
        dropout: share of attention weights dropped in training.
        use_bias, sliding_window, flash_attention, use_gate, seed, kernel_initializer, bias_initializer,
            kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint: see
            `MultiHeadAttention`.

    Call and result: see `MultiHeadAttention`.

    Source: Ainslie et al., "GQA: training generalized multi-query transformer models", 2023.
    """

    def __init__(
        self,
        head_dim: int,
        num_query_heads: int,
        num_key_value_heads: int,
        dropout: float = 0.0,
        use_bias: bool = True,
        sliding_window: int | None = None,
        flash_attention: bool | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        use_gate: bool = False,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        positive_int(num_key_value_heads, "num_key_value_heads")
        if num_query_heads % num_key_value_heads:
            raise ValueError(
                f"num_query_heads must be a multiple of num_key_value_heads; got {num_query_heads} and "
                f"{num_key_value_heads}."
            )
        super().__init__(
            num_query_heads,
            head_dim,
            dropout=dropout,
            use_bias=use_bias,
            sliding_window=sliding_window,
            flash_attention=flash_attention,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            use_gate=use_gate,
            seed=seed,
            **kwargs,
        )
        self.head_dim = head_dim
        self.num_query_heads = num_query_heads
        self.num_key_value_heads = num_key_value_heads
        self.num_repeats = num_query_heads // num_key_value_heads
        self.use_gate = use_gate
        self._source_heads = num_key_value_heads

    def build(self, query_shape: Any, value_shape: Any, key_shape: Any = None) -> None:
        super().build(query_shape, value_shape, key_shape)

    def _sources(self, key: Any, value: Any) -> tuple[Any, Any]:
        k, v = super()._sources(key, value)
        if self.num_repeats == 1:
            return k, v
        return kops.repeat(k, self.num_repeats, axis=2), kops.repeat(v, self.num_repeats, axis=2)

    def _saveable_children(self) -> Iterator[tuple[str, Any]]:
        for name, child in super()._saveable_children():
            # Files have the underscore here, and not in MultiHeadAttention.
            yield (f"_{name}" if name in _PROJECTIONS else name), child

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        for name in ("num_heads", "key_dim", "value_dim", "output_shape", "attention_axes"):
            del config[name]
        return {
            **config,
            "head_dim": self.head_dim,
            "num_query_heads": self.num_query_heads,
            "num_key_value_heads": self.num_key_value_heads,
        }
