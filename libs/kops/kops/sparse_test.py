"""Sparse tensors of TensorFlow and JAX: values against NumPy's on dense arrays, eager, compiled, symbolic."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from kops import sparse_rules
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.sparse_rules import is_sparse

if engine().NAME not in ("tensorflow", "jax"):
    pytest.skip("sparse tensors are those of TensorFlow and JAX", allow_module_level=True)

RNG = np.random.default_rng(0)
X = (RNG.uniform(0.1, 0.9, (3, 4)) * RNG.choice([0, 0, 1, -1], (3, 4))).astype(np.float32)
Y = (RNG.uniform(0.1, 0.9, (3, 4)) * (RNG.random((3, 4)) < 0.5)).astype(np.float32)
D = RNG.uniform(0.5, 2, (3, 4)).astype(np.float32)
ROW = D[:1]


def sparse(x: np.ndarray):
    if engine().NAME == "tensorflow":
        import tensorflow as tf

        return tf.sparse.from_dense(x)
    from jax.experimental.sparse import BCOO

    return BCOO.fromdense(x)


def compiled(function, *args):
    if engine().NAME == "tensorflow":
        import tensorflow as tf

        return tf.function(function, autograph=False)(*args)
    import jax

    return jax.jit(function)(*args)


def symbol(x):
    return KerasTensor(tuple(x.shape), "float32", sparse=is_sparse(x))


def agree(function, *args, stays=None):
    """The result of each way is that of dense arguments; all agree on whether it is sparse."""
    mixed = [sparse(x) if s else kops.convert_to_tensor(x) for x, s in args]
    want = kops.convert_to_numpy(function(*(kops.convert_to_tensor(x) for x, _ in args)))
    eager = function(*mixed)
    for got in (eager, compiled(function, *mixed), function(*mixed)):
        np.testing.assert_allclose(kops.convert_to_numpy(got), want, rtol=1e-5, atol=1e-6)
        assert is_sparse(got) == is_sparse(eager)
    spec = function(*map(symbol, mixed))
    assert spec.sparse == is_sparse(eager), f"symbolic {spec}, eager {type(eager)}"
    assert tuple(spec.shape) == tuple(eager.shape) and spec.dtype == kops.standardize_dtype(eager.dtype)
    if stays is not None:
        assert is_sparse(eager) == stays


UNARY = sorted(sparse_rules.ZERO - {"real", "imag", "conjugate"})


@pytest.mark.parametrize("name", [*UNARY, "conjugate", "real"])
def test_functions_of_zero_that_are_zero(name):
    agree(getattr(kops, name), (X, True), stays=True)


@pytest.mark.parametrize("name", ["exp", "cos", "sigmoid", "logical_not", "reciprocal", "isfinite", "ones_like"])
def test_others_are_dense(name):
    agree(getattr(kops, name), (X, True), stays=False)


@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "minimum", "multiply"])
def test_pairs(name):
    f = getattr(kops, name)
    product = name == "multiply"
    agree(f, (X, True), (Y, True), stays=True)
    agree(f, (X, True), (Y[:1], True), stays=True)
    agree(f, (X, True), (D, False), stays=product)
    agree(f, (D, False), (X, True), stays=product)
    agree(f, (X, True), (ROW, False), stays=product)
    agree(f, (X, True), (ROW[0], False), stays=product)
    agree(f, (X[:1], True), (D, False), stays=product)
    agree(lambda x: f(x, 2.0), (X, True), stays=product)
    agree(lambda x: f(2.0, x), (X, True), stays=product)


def test_quotients():
    agree(kops.divide, (X, True), (D, False), stays=True)
    agree(kops.divide, (X, True), (Y, False), stays=True)  # 0 / 0 is NaN, stored
    agree(kops.divide, (D, False), (X, True), stays=False)
    agree(kops.divide, (X, True), (Y, True), stays=False)
    agree(lambda x: kops.divide(x, 4), (X, True), stays=True)


def test_products():
    agree(kops.matmul, (X, True), (D.T, False), stays=False)
    agree(kops.matmul, (D.T, False), (X, True), stays=False)
    agree(kops.matmul, (X, True), (Y.T, True), stays=True)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: kops.reshape(x, (2, 6)),
        lambda x: kops.reshape(x, (-1,)),
        kops.transpose,
        lambda x: kops.expand_dims(x, (0, -1)),
        lambda x: kops.squeeze(kops.expand_dims(x, 1), 1),
        lambda x: kops.squeeze(kops.expand_dims(x, 1)),
        lambda x: kops.cast(x, "float16"),
        lambda x: kops.sum(x, axis=1),
        lambda x: kops.sum(x, axis=0, keepdims=True),
        kops.sum,
        lambda x: kops.concatenate([x, x], axis=-1),
    ],
)
def test_shapes(function):
    agree(function, (X, True), stays=True)


def test_dense_reductions_and_mixtures():
    agree(lambda x: kops.mean(x, axis=0), (X, True), stays=False)
    agree(lambda x: kops.max(x, axis=0), (X, True), stays=False)
    agree(lambda x, y: kops.concatenate([x, y], axis=0), (X, True), (D, False), stays=False)
    agree(lambda x: kops.softmax(x), (X, True), stays=False)


def test_compositions_follow_what_is_inside():
    agree(lambda x: kops.swapaxes(x, 0, 1), (X, True))
    agree(lambda x, w: kops.relu(kops.matmul(x, w) + 1.0), (X, True), (D.T, False), stays=False)


def test_taking_rows_by_sparse_indices():
    indices = sparse(np.array([[0, 2], [1, 0]], np.int32))
    got = kops.take(D, indices, axis=0)
    np.testing.assert_array_equal(kops.convert_to_numpy(got), D[[[0, 2], [1, 0]]])


def test_conversions():
    x = sparse(X)
    assert kops.is_tensor(x) and kops.convert_to_tensor(x) is x and kops.convert_to_tensor(x, sparse=True) is x
    dense = kops.convert_to_tensor(x, sparse=False)
    assert not is_sparse(dense)
    np.testing.assert_array_equal(kops.convert_to_numpy(dense), X)
    np.testing.assert_array_equal(kops.convert_to_numpy(x), X)
    assert kops.shape(x) == (3, 4)


@pytest.mark.parametrize("name", ["one_hot", "multi_hot"])
def test_sparse_ones(name):
    f = getattr(kops, name)
    indices = np.array([[0, 2], [1, 1]], np.int32)
    got = f(indices, 4, sparse=True)
    assert is_sparse(got) and f(KerasTensor((2, 2), "int32"), 4, sparse=True).sparse
    np.testing.assert_array_equal(kops.convert_to_numpy(got), kops.convert_to_numpy(f(indices, 4)))


def test_refusal():
    """In the same words eager and symbolic."""
    words = []
    for x in (sparse(X), KerasTensor((3, 4), "float32", sparse=True)):
        with pytest.raises(TypeError, match="sort takes no sparse tensors.*sparse=False") as caught:
            kops.sort(x)
        words.append(str(caught.value))
    assert words[0] == words[1]


def test_dense_arguments_go_their_own_way():
    """Nothing sparse stands in the plan of dense tensors: it is the kernel, or that compiled."""
    x = kops.convert_to_tensor(D)
    kops.tanh(sparse(X)), kops.tanh(x), kops.tanh(x)
    op = kops.tanh.op
    plan = op.plans[(type(x), x.dtype)]
    assert hasattr(plan, "lower") if hasattr(engine(), "fuse") else plan is engine().TABLE["tanh"]
