from __future__ import annotations

import numpy as np
import pytest

import kops
from kops.arrays import normalize, pad_sequences, to_categorical
from kops.engine import engine


def test_to_categorical():
    np.testing.assert_array_equal(to_categorical([0, 2, 1]), np.eye(3)[[0, 2, 1]])
    assert to_categorical([[0], [2]], 4).shape == (2, 4)
    assert to_categorical([], 3).shape == (0, 3)
    assert to_categorical([[0, 1]], 2).shape == (1, 2, 2)
    tensor = to_categorical(kops.convert_to_tensor([1, 0]), 2)
    assert engine().is_tensor(tensor) and kops.standardize_dtype(tensor.dtype) == "float32"
    np.testing.assert_array_equal(kops.convert_to_numpy(tensor), [[0, 1], [1, 0]])
    for wrong in ([0, 5], [-1, 1]):
        with pytest.raises(IndexError, match="class numbers are 0 to 2"):
            to_categorical(wrong, 3)
    with pytest.raises(ValueError, match="num_classes"):
        to_categorical([])


def test_normalize():
    np.testing.assert_allclose(normalize([[3.0, 4.0], [0.0, 0.0]]), [[0.6, 0.8], [0, 0]], rtol=1e-6)
    np.testing.assert_allclose(normalize(np.array([[3, 0], [4, 0]]), axis=0), [[0.6, 0], [0.8, 0]])
    np.testing.assert_allclose(normalize(np.float32([3, -1]), order=1), [0.75, -0.25])
    np.testing.assert_allclose(
        kops.convert_to_numpy(normalize(kops.convert_to_tensor([[3.0, 4.0]]))), [[0.6, 0.8]], rtol=1e-6
    )
    np.testing.assert_array_equal(normalize(5.0), [1.0])
    with pytest.raises(ValueError, match="order"):
        normalize([1.0], order=0)


def test_pad_sequences():
    ragged = [[1], [2, 3], [4, 5, 6]]
    np.testing.assert_array_equal(pad_sequences(ragged), [[0, 0, 1], [0, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(
        pad_sequences(ragged, 2, padding="post", truncating="post", value=9), [[1, 9], [2, 3], [4, 5]]
    )
    np.testing.assert_array_equal(pad_sequences(ragged, 2), [[0, 1], [2, 3], [5, 6]])
    assert pad_sequences([[[1, 2]], [[3, 4], [5, 6]]]).tolist() == [[[0, 0], [1, 2]], [[3, 4], [5, 6]]]
    assert pad_sequences([["a"], ["b", "c"]], dtype=object, value="").tolist() == [["", "a"], ["b", "c"]]
    assert pad_sequences([]).shape == (0, 0) and pad_sequences([[]]).shape == (1, 0)
    assert pad_sequences([[1.5]], 2, dtype="float32").tolist() == [[0.0, 1.5]]
    for wrong, words in (([1, 2], "element 0"), ([[[1, 2]], [[3]]], "elements have shape")):
        with pytest.raises(ValueError, match=words):
            pad_sequences(wrong)
    with pytest.raises(ValueError, match="padding"):
        pad_sequences([[1]], padding="left")
