from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers.conformance.check_layer import as_array, check_layer
from klayers.layers.embedding import Embedding
from klayers.layers.reversible_embedding import ReversibleEmbedding

IDS = np.array([[1, 0, 2], [3, 3, 0]], "int32")


def test_rows_of_the_table():
    layer = check_layer(lambda **k: Embedding(4, 5, **k), IDS, lambda ids, table: table[ids])
    assert [(v.name, v.shape) for v in layer.weights] == [("embeddings", (4, 5))]
    for dtype in ("uint8", "int64", "float32"):
        np.testing.assert_array_equal(as_array(layer(IDS.astype(dtype))), layer.embeddings.numpy()[IDS])


def test_zero_may_stand_for_padding():
    mask = Embedding(4, 5, mask_zero=True).compute_mask(kops.convert_to_tensor(IDS))
    np.testing.assert_array_equal(as_array(mask), IDS != 0)
    assert Embedding(4, 5).compute_mask(IDS) is None
    assert Embedding(4, 5, mask_zero=True).supports_masking and not Embedding(4, 5).supports_masking


def test_a_table_to_start_from():
    table = np.arange(8, dtype="float32").reshape(4, 2)
    for given in (table, [table]):
        np.testing.assert_array_equal(as_array(Embedding(4, 2, weights=given)(IDS)), table[IDS])
    layer = Embedding(4, 2, name="e")
    layer.build()
    assert [v.path for v in layer.weights] == ["e/embeddings"]


@pytest.mark.parametrize("tied", [True, False])
def test_reverse_gives_scores(tied):
    layer = ReversibleEmbedding(4, 5, tie_weights=tied, logit_soft_cap=2.0)
    vectors = layer(IDS)
    layer.set_weights([w + 0.5 for w in layer.get_weights()])
    table = layer.embeddings.numpy().T if tied else layer.reverse_embeddings.numpy()
    expected = 2 * np.tanh(as_array(vectors) @ table / 2)
    np.testing.assert_allclose(as_array(layer(vectors, reverse=True)), expected, rtol=1e-5, atol=1e-6)
    assert [v.name for v in layer.weights] == ["embeddings", "reverse_embeddings"][: 1 if tied else 2]
    symbol = layer(kops.KerasTensor((None, 5)), reverse=True)
    assert (symbol.shape, symbol.dtype) == ((None, 4), "float32")
    low = ReversibleEmbedding(4, 5, reverse_dtype="float32", dtype="mixed_bfloat16")
    half = low(IDS)
    assert kops.standardize_dtype(half.dtype) == "bfloat16"
    assert kops.standardize_dtype(low(half, reverse=True).dtype) == "float32"


@pytest.mark.parametrize("arguments", [(0, 2), (2, -1), (2.5, 2), ("a", 2)])
def test_sizes_are_positive_integers(arguments):
    with pytest.raises(ValueError, match="_dim must be a positive integer"):
        Embedding(*arguments)
