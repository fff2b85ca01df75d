"""TextVectorization, CategoryEncoding and Discretization."""

import numpy as np
import pytest

import kops
import ksave
from klayers.conformance.check_layer import as_array, check_layer
from klayers.dtype_policies import DTypePolicy
from klayers.layers.category_encoding import CategoryEncoding
from klayers.layers.discretization import Discretization
from klayers.layers.text_vectorization import TextVectorization
from klayers.sequential import Sequential
from kops.keras_tensor import KerasTensor

TEXTS = np.array([["The fox, the FOX!"], ["a dog"]])


def listed(x):
    return kops.convert_to_numpy(x).tolist()


def test_texts_as_indices():
    layer = TextVectorization(vocabulary=["the", "fox", "dog"])
    assert listed(layer(TEXTS)) == [[2, 3, 2, 3], [1, 4, 0, 0]]
    assert listed(layer(["fox dog"])) == [[3, 4]]
    assert layer(KerasTensor((None, 1), "string")).shape == (None, None)
    fixed = TextVectorization(vocabulary=["the", "fox"], output_sequence_length=3)
    assert listed(fixed(TEXTS)) == [[2, 3, 2], [1, 1, 0]]
    assert fixed(KerasTensor((None, 1), "string")).shape == (None, 3)
    assert layer.get_vocabulary() == ["", "[UNK]", "the", "fox", "dog"]


def test_texts_as_vectors():
    count = TextVectorization(vocabulary=["the", "fox"], output_mode="count")
    assert listed(count(TEXTS)) == [[0, 2, 2], [2, 0, 0]]
    hot = TextVectorization(vocabulary=["the", "fox"], output_mode="multi_hot", max_tokens=5, pad_to_max_tokens=True)
    assert listed(hot(TEXTS)) == [[0, 1, 1, 0, 0], [1, 0, 0, 0, 0]]
    idf = TextVectorization(vocabulary=["the", "fox"], output_mode="tf_idf", idf_weights=[0.5, 1.5])
    np.testing.assert_allclose(listed(idf(TEXTS)), [[0, 1, 3], [2, 0, 0]])


def test_standards_and_splits():
    plain = TextVectorization(vocabulary=["The", "fox,"], standardize=None)
    assert listed(plain(["The fox, É"])) == [[2, 3, 1]]
    # Letters beyond ASCII stay as they are, and a no-break space joins.
    lower = TextVectorization(vocabulary=["é", "a", "É"], standardize="lower")
    assert listed(lower(["É A", "a\u00a0é"])) == [[4, 3], [1, 0]]
    letters = TextVectorization(vocabulary=["a", "b"], split="character")
    assert listed(letters(["aBc"])) == [[2, 3, 1]]
    own = TextVectorization(vocabulary=["A", "B"], standardize=np.char.upper, split=lambda x: [t.split("-") for t in x])
    assert listed(own(["a-b", "b"])) == [[2, 3], [3, 0]]
    groups = TextVectorization(vocabulary=["a", "b", "a b"], ngrams=2)
    assert listed(groups(["a b a"])) == [[2, 3, 2, 4, 1]]
    only = TextVectorization(vocabulary=["a b"], ngrams=(2,))
    assert listed(only(["a b a"])) == [[2, 1]]


def test_adapting_and_files(tmp_path):
    layer = TextVectorization(max_tokens=5, output_mode="tf_idf")
    layer.adapt(["the quick fox", "the fox", "a fox"])
    assert layer.get_vocabulary() == ["[UNK]", "fox", "the", "quick", "a"]
    path = str(tmp_path / "model.keras")
    Sequential([layer]).save(path)
    again = ksave.load_model(path).layers[0]
    assert again.get_vocabulary() == layer.get_vocabulary()
    np.testing.assert_allclose(listed(again(["fox the"])), listed(layer(["fox the"])))
    idf = np.log(1 + 3 / (1 + np.array([3.0, 2, 1, 1])))
    np.testing.assert_allclose(listed(again(["fox fox"])), [[0, 2 * idf[0], 0, 0, 0]], rtol=1e-6)


def test_categories():
    x = np.array([[0, 1, 1], [3, 3, 3]], "int32")
    check_layer(lambda **k: CategoryEncoding(4, **k), x, np.array([[1, 1, 0, 0], [0, 0, 0, 1]]), low_precision=False)
    counts = np.array([[1, 2, 0, 0], [0, 0, 0, 3]])
    check_layer(lambda **k: CategoryEncoding(4, output_mode="count", **k), x, counts, low_precision=False)
    hot = np.eye(4)[x]
    check_layer(lambda **k: CategoryEncoding(4, output_mode="one_hot", **k), x, hot, low_precision=False)
    layer = CategoryEncoding(4, output_mode="count")
    weighted = layer(x, count_weights=np.array([[0.5, 1, 1.5], [1, 1, 1]], "float32"))
    np.testing.assert_allclose(as_array(weighted), [[0.5, 2.5, 0, 0], [0, 0, 0, 3]])
    assert layer(np.array([1, 1])).shape == (4,)
    with pytest.raises(ValueError, match="from 0 to 3"):
        layer(np.array([[4]]))


def test_bins():
    x = np.array([[-1.0, 0.0, 0.5], [1.0, 2.0, 1e9]], "float32")
    check_layer(lambda **k: Discretization([0.0, 1.0], **k), x, np.array([[0, 1, 1], [2, 2, 2]]), low_precision=False)
    one = x[:, :1]
    check_layer(
        lambda **k: Discretization([0.0, 1.0], output_mode="one_hot", **k),
        one,
        np.array([[1, 0, 0], [0, 0, 1]]),
        low_precision=False,
    )
    layer = Discretization(num_bins=4)
    layer.adapt(np.arange(1000.0))
    np.testing.assert_allclose(layer.bin_boundaries, [249.5, 499.5, 749.5], atol=1)
    long = Discretization(num_bins=2, epsilon=0.01)
    long.adapt(np.random.default_rng(0).normal(size=(5000,)) for _ in range(5))
    assert abs(long.bin_boundaries[0]) < 0.05
    with pytest.raises(ValueError, match="adapt"):
        Discretization(num_bins=3)(x)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: TextVectorization(standardize="upper"), "standardize must be one of"),
        (lambda: TextVectorization(ragged=True), "not supported"),
        (lambda: TextVectorization(output_mode="count", output_sequence_length=3), "output_mode='int'"),
        (lambda: TextVectorization(ngrams=(0,)), "ngrams must be"),
        (lambda: TextVectorization(vocabulary=["a"])(np.array([["a", "b"]])), r"\(batch, 1\)"),
        (lambda: CategoryEncoding(), "num_tokens"),
        (lambda: CategoryEncoding(3)(np.array([[1]]), count_weights=np.array([[1.0]])), "count_weights"),
        (lambda: Discretization(), "needs bin_boundaries"),
        (lambda: Discretization([1.0, 0.0]), "ascend"),
    ],
)
def test_wrong_arguments(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_discretization_finds_custom_objects():
    class HalfPolicy(DTypePolicy):
        pass

    layer = Discretization([0.0, 1.0], output_mode="one_hot", name="bins")
    policy = {"module": "mine", "class_name": "HalfPolicy", "config": {"name": "float16"}}
    policy["registered_name"] = "HalfPolicy"
    again = Discretization.from_config(
        {**layer.get_config(), "dtype": policy}, custom_objects={"HalfPolicy": HalfPolicy}
    )
    assert isinstance(again.dtype_policy, HalfPolicy) and again.output_dtype == "float16"
    assert again.bin_boundaries == [0.0, 1.0] and again.name == "bins"
