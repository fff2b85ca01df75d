"""StringLookup, IntegerLookup, Hashing and HashedCrossing."""

import json

import numpy as np
import pytest

import kops
import ksave
from klayers.layers.hashed_crossing import HashedCrossing
from klayers.layers.hashing import Hashing
from klayers.layers.integer_lookup import IntegerLookup
from klayers.layers.string_lookup import StringLookup
from klayers.sequential import Sequential
from kops.engine import engine
from kops.keras_tensor import KerasTensor

WORDS = np.array([["a", "c"], ["zz", "b"]])


def listed(x):
    return np.asarray(x).tolist() if isinstance(x, np.ndarray) else kops.convert_to_numpy(x).tolist()


def test_words_as_indices():
    assert listed(StringLookup(vocabulary=["a", "b", "c"])(WORDS)) == [[1, 3], [0, 2]]
    assert listed(StringLookup(vocabulary=["a", "b", "c"], mask_token="")([["", "b"]])) == [[0, 3]]
    assert listed(StringLookup(vocabulary=["", "[UNK]", "a"], mask_token="")([["", "a", "q"]])) == [[0, 2, 1]]
    assert listed(StringLookup(vocabulary=["x", "y"], invert=True)([[1, 0, 7]])) == [["x", "[UNK]", "[UNK]"]]
    # As Keras 3.15.1 on TensorFlow.
    assert listed(StringLookup(vocabulary=["x"], num_oov_indices=3)([["q", "w", "e", "r"]])) == [[2, 2, 1, 1]]
    with pytest.raises(ValueError, match="num_oov_indices=0"):
        StringLookup(vocabulary=["a"], num_oov_indices=0)([["b"]])


def test_vectors_of_words():
    hot = StringLookup(vocabulary=["a", "b", "c"], output_mode="multi_hot")
    assert listed(hot(WORDS)) == [[0, 1, 0, 1], [1, 0, 1, 0]]
    one = StringLookup(vocabulary=["a", "b"], output_mode="one_hot")
    assert listed(one([["a"], ["q"]])) == [[0, 1, 0], [1, 0, 0]]
    count = StringLookup(vocabulary=["a"], output_mode="count", max_tokens=4, pad_to_max_tokens=True)
    assert listed(count([["a", "a", "q"]])) == [[1, 2, 0, 0]]
    idf = StringLookup(vocabulary=["a", "b"], output_mode="tf_idf", idf_weights=[0.5, 0.75])
    np.testing.assert_allclose(listed(idf([["b", "b", "q"]])), [[0.625, 0, 1.5]])
    assert hot(KerasTensor((None, 2), "string")).shape == (None, 4)
    assert one(KerasTensor((None, 1), "string")).shape == (None, 3)
    assert one(KerasTensor((None, 2), "string")).shape == (None, 2, 3)


def test_adapting():
    layer = StringLookup(max_tokens=4)
    layer.adapt([["b", "a", "b"], ["c", "d", "[UNK]"]])
    assert layer.get_vocabulary() == ["[UNK]", "b", "d", "c"]  # the last in the alphabet first
    assert layer.vocabulary_size() == 4
    batched = StringLookup()
    batched.adapt(iter([np.array([["a"]]), np.array([["b"], ["b"]]), np.array([["z"]])]), steps=2)
    assert batched.get_vocabulary(include_special_tokens=False) == ["b", "a"]
    numbers = IntegerLookup(output_mode="tf_idf")
    numbers.adapt(np.array([[5, 5, 3], [5, 3, 7], [5, 1, 1]]))
    assert numbers.get_vocabulary() == [-1, 5, 3, 1, 7]
    expected = np.log(1 + 3 / (1 + np.array([3, 2, 1, 1])))
    np.testing.assert_allclose(numbers.idf_weights[1:], expected, rtol=1e-6)
    np.testing.assert_allclose(numbers.idf_weights[0], expected.mean(), rtol=1e-6)


def test_integers():
    layer = IntegerLookup(vocabulary=[12, 36], num_oov_indices=2, mask_token=0)
    assert listed(layer(np.array([[36, 7], [0, 12]]))) == [[4, 2], [0, 3]]
    assert listed(layer(np.array([[-3, 4]]))) == [[2, 1]]
    assert listed(IntegerLookup(vocabulary=[3, 4], invert=True)(np.array([0, 1, 9]))) == [-1, 3, -1]
    count = IntegerLookup(vocabulary=[3, 4], output_mode="count")
    assert listed(count(np.array([[3, 3, 9]]))) == [[1, 2, 0]]
    hashed = IntegerLookup(vocabulary=[3], num_oov_indices=2, oov_method="farmhash")
    assert listed(hashed(np.array([[3]]))) == [[2]]
    assert kops.standardize_dtype(layer(np.array([[1]])).dtype) in ("int64", "int32")


@pytest.mark.skipif(engine().NAME not in ("jax", "tensorflow", "openvino"), reason="engines that compile")
def test_integers_in_a_compiled_function():
    layer = IntegerLookup(vocabulary=[30, 10, 20], num_oov_indices=2)
    x = engine().convert(np.array([[10, 20, 33, 4]], "int32"), None)
    assert listed(engine().jit(lambda x: layer(x))(x)) == [[3, 4, 1, 0]]


def test_hashing():
    layer = Hashing(7)
    assert listed(layer([["a"], ["bc"], ["def"]])) == [[5], [6], [0]]
    assert listed(Hashing(7, salt=133, mask_value=0)(np.array([[0], [5], [11]]))) == [[0], [5], [3]]
    assert listed(Hashing(6, salt=[7, 9], output_mode="one_hot")([["a"], ["def"]])) == [
        [0, 0, 0, 1, 0, 0],
        [1, 0, 0, 0, 0, 0],
    ]
    with pytest.raises(TypeError, match="texts and integers"):
        Hashing(7, output_mode="one_hot")(np.array([[1.5]]))


def test_crossing():
    words, numbers = np.array(["a", "b", "a"]), np.array([1, 2, 3])
    assert listed(HashedCrossing(9)((words, numbers))) == [7, 1, 2]
    pair = (np.array([[1], [2], [3]]), np.array([[4], [4], [6]]))
    assert np.argmax(listed(HashedCrossing(5, output_mode="one_hot")(pair)), -1).tolist() == [0, 2, 3]
    spec = HashedCrossing(5, output_mode="one_hot")((KerasTensor((None, 1), "string"), KerasTensor((None, 1), "int64")))
    assert spec.shape == (None, 5)
    with pytest.raises(ValueError, match="at least two"):
        HashedCrossing(5)([words])
    with pytest.raises(ValueError, match="same|all have the shape"):
        HashedCrossing(5)([words, numbers[:2]])


def test_the_vocabulary_is_a_file_in_the_file(tmp_path):
    layer = StringLookup(mask_token="", output_mode="int")
    layer.adapt([["x", "y", "x", " "]])
    model = Sequential([layer])
    path = str(tmp_path / "model.keras")
    model.save(path)
    again = ksave.load_model(path)
    assert again.layers[0].get_vocabulary() == ["", "[UNK]", "x", "y", " "]
    config = layer.get_config()
    assert config["vocabulary"] is None and config["vocabulary_size"] == 5


def test_other_files_are_not_read_from_a_config(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("a\nb\n")
    layer = StringLookup(vocabulary=str(path))
    assert layer.get_vocabulary() == ["[UNK]", "a", "b"]
    record = json.loads(json.dumps(ksave.serialize_keras_object(layer)))
    with pytest.raises(Exception, match="safe mode"):
        ksave.deserialize_keras_object(record)
    again = ksave.deserialize_keras_object(record, safe_mode=False)
    assert again.get_vocabulary() == layer.get_vocabulary()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: StringLookup(vocabulary=["a", "a"]), "twice"),
        (lambda: StringLookup(vocabulary=["a", "[UNK]"]), "oov token"),
        (lambda: StringLookup(vocabulary=[]), "at least one"),
        (lambda: StringLookup(vocabulary=["a", "b"], max_tokens=2), "max_tokens is 2"),
        (lambda: StringLookup(output_mode="tf_idf", vocabulary=["a"]), "needs idf_weights"),
        (lambda: StringLookup(output_mode="tf_idf", vocabulary=["a"], idf_weights=[1.0, 2.0]), "1 tokens but 2"),
        (lambda: StringLookup(invert=True, output_mode="count"), "invert=True"),
        (lambda: StringLookup(pad_to_max_tokens=True), "needs max_tokens"),
        (lambda: StringLookup(sparse=True), "not supported"),
        (lambda: StringLookup()([["a"]]), "no vocabulary"),
        (lambda: IntegerLookup(vocabulary_dtype="float32"), "vocabulary_dtype"),
        (lambda: Hashing(0), "num_bins must be a positive"),
        (lambda: Hashing(3, salt="x"), "salt must be"),
    ],
)
def test_wrong_arguments(make, words):
    with pytest.raises(ValueError, match=words):
        make()
