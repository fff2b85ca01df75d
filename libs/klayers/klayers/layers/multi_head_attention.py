"""MultiHeadAttention."""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from klayers import constraints, initializers, regularizers
from klayers.layer import Layer
from klayers.layers.dropout import Dropout
from klayers.layers.einsum_dense import EinsumDense
from kops.keras_tensor import KerasTensor
from kops.ops.core import cast, shape
from kops.ops.creation import arange
from kops.ops.elementwise_comparison import less, less_equal, logical_and
from kops.ops.manipulation import expand_dims, reshape, transpose
from kops.ops.nn_attention import dot_product_attention
from kspec import public


@public("keras.layers.MultiHeadAttention")
class MultiHeadAttention(Layer):
    """Several attentions side by side: `softmax(Q K^T / sqrt(key_dim)) V` for each head, then one projection.

    Args:
        num_heads: number of heads.
        key_dim: size of each head for query and key.
        value_dim: size of each head for value; default `key_dim`.
        dropout: share of attention weights dropped in training.
        use_bias: whether the projections have biases.
        output_shape: last dimensions of the output; default those of the query.
        attention_axes: axes over which to attend; default all but the first and last.
        sliding_window: how far back a position may look; None for all the way.
        flash_attention: True demands the engine's fused kernel, False forbids it, None uses it where it can.
        use_gate: whether the heads' output is multiplied by a sigmoid gate computed from the query.
        seed: of the dropout.

    Call:
        query `(batch, target, ..., dim)`, value `(batch, source, ..., dim)`, key (default: value), masks
        `query_mask`, `value_mask`, `key_mask` `(batch, length)`, `attention_mask` `(batch, target, source)`,
        `return_attention_scores`, `training`, `use_causal_mask`.

    Returns:
        `(batch, target, ..., dim)`, with scores `(batch, heads, target, source)` if asked for.

    Source: Vaswani et al. 2017, Attention Is All You Need.
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        attention_axes: Any = None,
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
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        if num_heads <= 0 or key_dim <= 0:
            raise ValueError(f"num_heads and key_dim are positive, not {num_heads} and {key_dim}.")
        if sliding_window is not None and sliding_window <= 0:
            raise ValueError(f"sliding_window is positive or None, not {sliding_window}.")
        if flash_attention and dropout > 0:
            raise ValueError("The fused attention kernel has no dropout: set dropout=0 or flash_attention=False.")
        self.supports_masking = True
        self._num_heads = num_heads
        self._source_heads = num_heads  # of key and value
        self._key_dim = key_dim
        self._value_dim = value_dim or key_dim
        self._dropout = dropout
        self._use_bias = use_bias
        self._output_shape = (output_shape,) if isinstance(output_shape, int) else output_shape
        self._attention_axes = (attention_axes,) if isinstance(attention_axes, int) else attention_axes
        self.sliding_window = sliding_window
        self._flash_attention = flash_attention
        self._use_gate = use_gate
        self.seed = seed
        self._kernel_initializer = initializers.get(kernel_initializer)
        self._bias_initializer = initializers.get(bias_initializer)
        self._kernel_regularizer = regularizers.get(kernel_regularizer)
        self._bias_regularizer = regularizers.get(bias_regularizer)
        self._kernel_constraint = constraints.get(kernel_constraint)
        self._bias_constraint = constraints.get(bias_constraint)

    num_heads = property(lambda self: self._num_heads)
    key_dim = property(lambda self: self._key_dim)
    value_dim = property(lambda self: self._value_dim)
    dropout = property(lambda self: self._dropout)
    use_bias = property(lambda self: self._use_bias)
    attention_axes = property(lambda self: self._attention_axes)
    query_dense = property(lambda self: self._query_dense)
    key_dense = property(lambda self: self._key_dense)
    value_dense = property(lambda self: self._value_dense)
    output_dense = property(lambda self: self._output_dense)

    def build(self, query_shape: Any, value_shape: Any, key_shape: Any = None) -> None:
        key_shape = value_shape if key_shape is None else key_shape
        rank = len(query_shape)
        axes = self._attention_axes
        if axes is None:
            axes = range(1, rank - 1)
        self._attention_axes = tuple(a % rank for a in axes)
        self._query_dense = self._project("query", query_shape, self._key_dim)
        self._key_dense = self._project("key", key_shape, self._key_dim, self._source_heads)
        # In the order in which files of weights without names have them.
        if self._use_gate:
            self._gate_dense = self._project("gate", query_shape, self._value_dim, activation="sigmoid")
        self._value_dense = self._project("value", value_shape, self._value_dim, self._source_heads)
        self._dropout_layer = Dropout(rate=self._dropout, dtype=self.dtype_policy, seed=self.seed)
        last = tuple(self._output_shape or (query_shape[-1],))
        letters = string.ascii_lowercase
        body, heads, out = (letters[: rank - 1], letters[rank : rank + 2], letters[rank + 2 : rank + 2 + len(last)])
        self._output_dense = EinsumDense(
            f"{body}{heads},{heads}{out}->{body}{out}",
            output_shape=(*query_shape[1:-1], *last),
            bias_axes=out if self._use_bias else None,
            name="attention_output",
            **self._common(),
        )
        self._output_dense.build((*query_shape[:-1], self._num_heads, self._value_dim))

    def _common(self) -> dict[str, Any]:
        return {
            "kernel_initializer": self._kernel_initializer,
            "bias_initializer": self._bias_initializer,
            "kernel_regularizer": self._kernel_regularizer,
            "bias_regularizer": self._bias_regularizer,
            "kernel_constraint": self._kernel_constraint,
            "bias_constraint": self._bias_constraint,
            "dtype": self.dtype_policy,
        }

    def _project(
        self, name: str, input_shape: Any, size: int, heads: int | None = None, activation: Any = None
    ) -> EinsumDense:
        rank = len(input_shape)
        letters = string.ascii_lowercase
        body, last, out = letters[: rank - 1], letters[rank - 1], letters[rank : rank + 2]
        layer = EinsumDense(
            f"{body}{last},{last}{out}->{body}{out}",
            output_shape=(*input_shape[1:-1], heads or self._num_heads, size),
            bias_axes=out if self._use_bias else None,
            activation=activation,
            name=name,
            **self._common(),
        )
        layer.build(input_shape)
        return layer

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        key = value if key is None else key
        mask = self._mask(query, value, query_mask, value_mask, key_mask, attention_mask, use_causal_mask)
        gate = self._gate_dense(query) if self._use_gate else None
        q = self._query_dense(query)
        k, v = self._sources(key, value)
        attended, scores = self._attend(q, k, v, mask, return_attention_scores, training)
        if gate is not None:
            attended = attended * gate
        output = self._output_dense(attended)
        return (output, scores) if return_attention_scores else output

    def _sources(self, key: Any, value: Any) -> tuple[Any, Any]:
        return self._key_dense(key), self._value_dense(value)

    def _attend(self, q: Any, k: Any, v: Any, mask: Any, want_scores: bool, training: Any) -> Any:
        """Attention over the attention axes, which are brought to `(batch, length, heads, dim)` and back."""
        scale = 1.0 / float(np.sqrt(self._key_dim))
        simple = self._attention_axes == (1,) and len(q.shape) == 4
        back = None
        if not simple:
            q, back = self._fold(q)
            k, _ = self._fold(k)
            v, _ = self._fold(v)
            if mask is not None and len(mask.shape) > 3:
                mask = reshape(mask, (-1, *mask.shape[-2:]))
        if mask is not None:
            mask = cast(mask, "bool")
            while len(mask.shape) < 4:
                mask = expand_dims(mask, -3)
        drops = self._dropout > 0 and training
        if not want_scores and not drops:
            flash = None if self._dropout > 0 else self._flash_attention
            out = dot_product_attention(q, k, v, mask=mask, scale=scale, flash_attention=flash)
            return (out if back is None else back(out)), None
        from kops.ops.linalg import einsum
        from kops.ops.nn_activations import softmax

        logits = einsum("btnh,bsnh->bnts", q, k) * scale
        if mask is not None:
            from kops.ops.elementwise_comparison import where

            low = -3e4 if self.compute_dtype == "float16" else -1e9
            logits = where(mask, logits, low)
        scores = softmax(logits, axis=-1)
        weights = self._dropout_layer(scores, training=training)
        out = einsum("bnts,bsnh->btnh", weights, v)
        return (out if back is None else back(out)), scores

    def _fold(self, x: Any) -> Any:
        """`(batch, ..., heads, dim)` as `(batch and other axes, attention axes, heads, dim)`, and the way
        back.
        """
        rank = len(x.shape)
        others = [a for a in range(rank - 2) if a not in self._attention_axes]
        order = [*others, *self._attention_axes, rank - 2, rank - 1]
        moved = transpose(x, order)
        sizes = shape(moved)
        length = 1
        for size in sizes[len(others) : rank - 2]:
            length = length * size
        folded = reshape(moved, (-1, length, *moved.shape[-2:]))

        def back(out: Any) -> Any:
            unfolded = reshape(out, (*sizes[: rank - 2], out.shape[-2], out.shape[-1]))
            return transpose(unfolded, [order.index(a) for a in range(rank)])

        return folded, back

    def _mask(
        self, query: Any, value: Any, query_mask: Any, value_mask: Any, key_mask: Any, attention_mask: Any, causal: bool
    ) -> Any:
        """All masks in one `(batch, target, source)`, True where attention is allowed; None if there is
        none.
        """
        parts = []
        if query_mask is not None:
            parts.append(expand_dims(cast(query_mask, "bool"), -1))
        if value_mask is not None:
            parts.append(expand_dims(cast(value_mask, "bool"), -2))
        if key_mask is not None:
            parts.append(expand_dims(cast(key_mask, "bool"), -2))
        if causal or self.sliding_window is not None:
            target, source = shape(query)[1], shape(value)[1]
            row = expand_dims(arange(target), -1)
            column = expand_dims(arange(source), 0)
            if causal:
                parts.append(expand_dims(less_equal(column, row), 0))
            if self.sliding_window is not None:
                near = less(row - column, self.sliding_window)
                if not causal:
                    near = logical_and(near, less(column - row, self.sliding_window))
                parts.append(expand_dims(near, 0))
        if attention_mask is not None:
            parts.append(cast(attention_mask, "bool"))
        if not parts:
            return None
        mask = parts[0]
        for part in parts[1:]:
            mask = logical_and(mask, part)
        return mask

    def compute_mask(self, query: Any, previous_mask: Any = None) -> Any:
        return previous_mask

    def compute_output_shape(self, query_shape: Any, value_shape: Any, key_shape: Any = None) -> Any:
        key_shape = value_shape if key_shape is None else key_shape
        if value_shape[1:-1] != key_shape[1:-1]:
            raise ValueError(
                f"All dimensions of value and key but the last must agree; got {value_shape} and {key_shape}."
            )
        return (*query_shape[:-1], *(self._output_shape or (query_shape[-1],)))

    def compute_output_spec(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        key_shape = None if key is None else key.shape
        output = KerasTensor(self.compute_output_shape(query.shape, value.shape, key_shape), dtype=self.compute_dtype)
        if not return_attention_scores:
            return output
        axes = self._attention_axes or tuple(range(1, len(query.shape) - 1))
        others = [d for a, d in enumerate(query.shape[:-1]) if a not in axes]
        lengths = [query.shape[a] for a in axes] + [value.shape[a] for a in axes]
        return output, KerasTensor((*others, self._num_heads, *lengths), dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_heads": self._num_heads,
            "key_dim": self._key_dim,
            "value_dim": self._value_dim,
            "dropout": self._dropout,
            "use_bias": self._use_bias,
            "use_gate": self._use_gate,
            "output_shape": self._output_shape,
            "attention_axes": self._attention_axes,
            "sliding_window": self.sliding_window,
            "kernel_initializer": initializers.serialize(self._kernel_initializer),
            "bias_initializer": initializers.serialize(self._bias_initializer),
            "kernel_regularizer": regularizers.serialize(self._kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self._bias_regularizer),
            "activity_regularizer": regularizers.serialize(self._activity_regularizer),
            "kernel_constraint": constraints.serialize(self._kernel_constraint),
            "bias_constraint": constraints.serialize(self._bias_constraint),
            "seed": self.seed,
        }
