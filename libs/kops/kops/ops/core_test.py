"""Conversion and queries of tensors, on the active engine."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.variable import Variable


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, "int32"),
        (1.5, "float32"),
        (True, "bool"),
        ([1, 2], "int32"),
        ([1, 2.5], "float32"),
        ([True, False], "bool"),
        ([], "float32"),
        (np.float16(2.0), "float16"),
        (np.arange(3, dtype=np.uint8), "uint8"),
    ],
)
def test_dtype_of_what_has_none(value, dtype):
    tensor = kops.convert_to_tensor(value)
    assert kops.is_tensor(tensor)
    assert kops.dtype(tensor) == engine().canonical(dtype)
    np.testing.assert_array_equal(kops.convert_to_numpy(tensor).astype(np.float64), np.asarray(value, np.float64))


def test_large_integers():
    if engine().canonical("int64") == "int32":
        with pytest.raises(OverflowError, match="32 bits"):
            kops.convert_to_tensor(2**40)
    else:
        assert kops.dtype(kops.convert_to_tensor(2**40)) == "int64"


def test_conversion_to_a_dtype():
    tensor = kops.convert_to_tensor([1.7, -2.3], dtype="int32")
    assert kops.dtype(tensor) == "int32"
    np.testing.assert_array_equal(kops.convert_to_numpy(tensor), [1, -2])
    assert kops.dtype(kops.convert_to_tensor(tensor, "bfloat16")) == "bfloat16"


def test_a_tensor_is_not_copied():
    tensor = kops.convert_to_tensor([1.0])
    assert kops.convert_to_tensor(tensor) is tensor
    assert kops.convert_to_tensor(tensor, dtype="float32") is tensor


def test_symbolic_tensors_pass_through():
    x = KerasTensor((None, 3), "int32")
    assert kops.convert_to_tensor(x) is x
    assert kops.convert_to_tensor(x, dtype="int32") is x
    y = kops.convert_to_tensor(x, dtype="float32")
    assert (y.shape, y.dtype) == ((None, 3), "float32")
    assert not kops.is_tensor(x)


def test_variables():
    v = Variable([[1.0, 2.0]])
    assert kops.shape(v) == (1, 2) and kops.ndim(v) == 2 and kops.size(v) == 2 and kops.dtype(v) == "float32"
    np.testing.assert_array_equal(kops.convert_to_numpy(v), [[1.0, 2.0]])
    np.testing.assert_array_equal(kops.convert_to_numpy(kops.convert_to_tensor(v)), [[1.0, 2.0]])


def test_queries():
    x = kops.convert_to_tensor(np.zeros((2, 0, 3), np.float32))
    assert kops.shape(x) == (2, 0, 3) and type(kops.shape(x)) is tuple
    assert kops.ndim(x) == 3 and kops.size(x) == 0
    assert kops.shape([[1, 2]]) == (1, 2) and kops.ndim(3.0) == 0


def test_queries_of_symbolic_tensors():
    x = KerasTensor((None, 3))
    assert kops.shape(x) == (None, 3)
    for query in (kops.size, kops.ndim):
        assert (query(x).shape, query(x).dtype) == ((), "int32")


def test_large_scalars_are_not_cut_on_the_way():
    assert float(kops.convert_to_numpy(kops.cast(2**40, "float32"))) == 2.0**40


def test_cast_of_complex_takes_the_real_part():
    np.testing.assert_array_equal(kops.convert_to_numpy(kops.cast(np.array([1 + 2j], np.complex64), "float32")), [1.0])


def test_bfloat16_goes_there_and_back():
    x = kops.cast([1.0, 2.5], "bfloat16")
    array = kops.convert_to_numpy(x)
    assert array.dtype.name == "bfloat16"
    assert kops.dtype(kops.convert_to_tensor(array)) == "bfloat16"


def test_unknown_dtype():
    with pytest.raises(ValueError, match="Choose one of"):
        kops.cast([1.0], "float31")


@pytest.mark.skipif(engine().NAME != "tensorflow", reason="dynamic shapes of TensorFlow")
def test_dynamic_shapes_of_tensorflow():
    import tensorflow as tf

    seen = []

    @tf.function(input_signature=[tf.TensorSpec((None, 3))])
    def traced(x):
        rows, columns = kops.shape(x)
        seen.append((type(rows), columns))
        return (kops.zeros((rows, 2)), kops.size(x), kops.ones_like(x), kops.arange(rows), kops.full((rows,), 7))

    zeros, size, ones, count, full = traced(tf.ones((5, 3)))
    assert tf.is_tensor(size) and int(size) == 15 and seen[0][1] == 3
    assert zeros.shape == (5, 2) and ones.shape == (5, 3) and full.numpy().tolist() == [7.0] * 5
    assert count.numpy().tolist() == [0, 1, 2, 3, 4]


@pytest.mark.skipif(engine().NAME != "tensorflow", reason="sparse and ragged tensors of TensorFlow")
def test_sparse_and_ragged_tensors():
    import tensorflow as tf

    sparse = tf.sparse.from_dense([[0.0, 1.0]])
    assert kops.convert_to_tensor(sparse) is sparse
    assert kops.convert_to_tensor(sparse, sparse=False).numpy().tolist() == [[0.0, 1.0]]
    ragged = tf.ragged.constant([[1], [2, 3]])
    assert kops.convert_to_tensor(ragged, ragged=False).numpy().tolist() == [[1, 0], [2, 3]]
    assert kops.convert_to_numpy(sparse).tolist() == [[0.0, 1.0]]


def test_scipy_matrices_become_dense():
    from scipy import sparse

    matrix = sparse.csr_matrix(np.eye(2, dtype=np.float32))
    np.testing.assert_array_equal(kops.convert_to_numpy(kops.convert_to_tensor(matrix)), np.eye(2))
