from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers.layers.conformance import as_array, check_layer
from klayers.layers.embedding import Embedding

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


@pytest.mark.parametrize("arguments", [(0, 2), (2, -1), (2.5, 2), ("a", 2)])
def test_sizes_are_positive_integers(arguments):
    with pytest.raises(ValueError, match="_dim must be a positive integer"):
        Embedding(*arguments)
