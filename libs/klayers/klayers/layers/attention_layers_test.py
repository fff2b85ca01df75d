"""Attention, AdditiveAttention and GroupQueryAttention against their formulas."""

import numpy as np
import pytest

import ksave
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.attention import AdditiveAttention, Attention
from klayers.layers.grouped_query_attention import GroupedQueryAttention
from klayers.layers.multi_head_attention import MultiHeadAttention
from kops.keras_tensor import KerasTensor

RNG = np.random.default_rng(0)
Q, V, K = (RNG.normal(size=s).astype("float32") for s in ((2, 3, 4), (2, 5, 6), (2, 5, 4)))
V4 = V[..., :4].copy()


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_dot():
    expected = softmax(Q @ K.swapaxes(1, 2)) @ V
    check_layer(lambda **k: Attention(**k), [Q, V, K], expected, low_precision=False)
    check_layer(
        lambda **k: Attention(use_scale=True, **k),
        [Q, V4],
        lambda x, s: softmax(s * x[0] @ x[1].swapaxes(1, 2)) @ x[1],
        low_precision=False,
    )


def test_concat_and_additive():
    both = Q[:, :, None] + K[:, None]
    check_layer(
        lambda **k: Attention(use_scale=True, score_mode="concat", **k),
        [Q, V, K],
        lambda x, s, w: softmax(w * np.tanh(s * both).sum(-1)) @ V,
        low_precision=False,
    )
    check_layer(lambda **k: AdditiveAttention(**k), [Q, V, K], lambda x, s: softmax((s * np.tanh(both)).sum(-1)) @ V)
    plain = AdditiveAttention(use_scale=False)
    np.testing.assert_allclose(as_array(plain([Q, V, K])), softmax(np.tanh(both).sum(-1)) @ V, atol=1e-5)


def test_masks_and_scores():
    query_mask = np.array([[1, 1, 0], [1, 0, 1]], bool)
    value_mask = np.array([[1, 1, 1, 0, 0], [1, 0, 1, 0, 1]], bool)
    layer = Attention()
    found, scores = layer([Q, V, K], mask=[query_mask, value_mask], return_attention_scores=True)
    raw = np.where(value_mask[:, None], Q @ K.swapaxes(1, 2), -np.inf)
    np.testing.assert_allclose(as_array(scores), softmax(raw), atol=1e-5)
    np.testing.assert_allclose(as_array(found), (softmax(raw) @ V) * query_mask[..., None], atol=1e-5)
    assert layer.compute_mask([Q, V], [query_mask, value_mask]) is query_mask
    causal, scores = layer([V4, V4], use_causal_mask=True, return_attention_scores=True)
    raw = np.where(np.tril(np.ones((5, 5), bool)), V4 @ V4.swapaxes(1, 2), -np.inf)
    np.testing.assert_allclose(as_array(causal), softmax(raw) @ V4, atol=1e-5)
    specs = layer([KerasTensor((None, 3, 4)), KerasTensor((None, 5, 4))], return_attention_scores=True)
    assert [s.shape for s in specs] == [(None, 3, 4), (None, 3, 5)]


def test_dropout_in_training_only():
    layer = Attention(dropout=0.5, seed=1)
    assert not np.allclose(as_array(layer([Q, V4], training=True)), as_array(layer([Q, V4])))


@pytest.mark.parametrize("gate", [False, True])
def test_heads_that_share_key_and_value(gate):
    layer = GroupedQueryAttention(4, 6, 2, use_gate=gate)
    x = RNG.normal(size=(2, 5, 8)).astype("float32")
    found = as_array(layer(x, x))
    whole = MultiHeadAttention(6, 4, use_gate=gate)
    whole.build((2, 5, 8), (2, 5, 8))
    for name in ("query", "output", *(["gate"] if gate else [])):
        getattr(whole, f"_{name}_dense").set_weights(getattr(layer, f"_{name}_dense").get_weights())
    for name in ("key", "value"):
        kernel, bias = getattr(layer, f"_{name}_dense").get_weights()
        repeated = [np.repeat(kernel, 3, axis=1), np.repeat(bias, 3, axis=0)]
        getattr(whole, f"_{name}_dense").set_weights(repeated)
    np.testing.assert_allclose(found, as_array(whole(x, x)), rtol=1e-4, atol=1e-5)
    assert layer.name.startswith("grouped_query_attention")
    record = ksave.serialize_keras_object(layer)
    assert record["class_name"] == "GroupQueryAttention"
    assert ksave.deserialize_keras_object(record).get_config() == layer.get_config()
    names = [name for name, _ in layer._saveable_children()]
    assert "_key_dense" in names and "key_dense" not in names


def test_scores_of_shared_heads():
    layer = GroupedQueryAttention(4, 4, 2)
    x = RNG.normal(size=(2, 5, 8)).astype("float32")
    found, scores = layer(x, x, return_attention_scores=True, use_causal_mask=True)
    assert scores.shape == (2, 4, 5, 5)
    np.testing.assert_allclose(as_array(scores).sum(-1), 1, atol=1e-5)
    assert not np.triu(as_array(scores), 1).any()
    np.testing.assert_allclose(as_array(found), as_array(layer(x, x, use_causal_mask=True)), atol=1e-5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Attention(score_mode="cosine"), "score_mode must be one of"),
        (lambda: Attention()(Q), r"takes \[query, value\]"),
        (lambda: Attention()([Q, V4], mask=np.ones((2, 3), bool)), "masks as"),
        (lambda: GroupedQueryAttention(4, 5, 2), "multiple of num_key_value_heads"),
    ],
)
def test_wrong_arguments(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_the_gate_stands_between_key_and_value():
    layer = MultiHeadAttention(2, 4, use_gate=True)
    layer.build((None, 3, 8), (None, 3, 8))
    assert [w.path.split("/")[1] for w in layer.weights[::2]] == ["query", "key", "gate", "value", "attention_output"]
