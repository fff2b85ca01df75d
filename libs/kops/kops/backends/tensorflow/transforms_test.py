"""tf.function, AutoGraph and GradientTape go through dispatched ops."""

from __future__ import annotations

import numpy as np
import pytest

from kops import config

if config.backend() != "tensorflow":
    pytest.skip("needs the TensorFlow engine", allow_module_level=True)

import tensorflow as tf

from kops import add, exp, less, subtract
from kops.variable import Variable

X = tf.constant([0.0, 1.0, 2.0])


def f(x):
    return add(exp(x), 1.0)


def test_unknown_dimensions():
    traced = tf.function(f, input_signature=[tf.TensorSpec([None, None])])
    for shape in ((2, 3), (5, 1), (0, 4)):
        assert np.allclose(traced(tf.zeros(shape)), np.full(shape, 2.0))
    assert traced.experimental_get_tracing_count() == 1


def test_autograph_rewrites_user_code_around_ops():
    @tf.function
    def halve_or_shift(x):
        if tf.reduce_sum(x) < 0.0:
            y = subtract(x, 1.0)
        else:
            y = x
            while tf.reduce_all(less(y, 10.0)):
                y = add(y, 4.0)
        return y

    assert halve_or_shift(tf.constant([-3.0])).numpy().tolist() == [-4.0]
    assert halve_or_shift(tf.constant([3.0])).numpy().tolist() == [11.0]


def test_autograph_in_a_condition_made_by_an_op():
    @tf.function
    def sign(x):
        return add(x, 1.0) if less(x, 0.0) else subtract(x, 1.0)

    assert float(sign(tf.constant(-2.0))) == -1.0 and float(sign(tf.constant(2.0))) == 1.0


def test_xla():
    assert np.allclose(tf.function(f, jit_compile=True)(X), np.exp(X) + 1)


def test_gradient_tape():
    v = Variable([0.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(f(v))
    assert np.allclose(tape.gradient(y, v.native), np.exp(X))


def test_gradient_inside_a_function():
    @tf.function
    def g(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x))
        return tape.gradient(y, x)

    assert np.allclose(g(X), np.exp(X))


def test_variable_assignment_inside_a_function():
    v = Variable([1.0])

    @tf.function
    def step():
        v.assign_add([1.0])
        return v.value

    step(), step()
    assert v.numpy().tolist() == [3.0]


def test_vectorized_map():
    assert np.allclose(tf.vectorized_map(f, tf.stack([X, X])), np.exp([X, X]) + 1)


def test_errors_inside_a_function_have_the_op_s_words():
    with pytest.raises(ValueError, match=r"add: shapes \(3,\) and \(2,\) do not broadcast"):
        tf.function(add, autograph=False)(X, X[:2])


def test_symbolic_through_dataset_map():
    data = tf.data.Dataset.from_tensor_slices(np.zeros((4, 2), "float32")).map(f).batch(2)
    assert [b.shape for b in data] == [(2, 2), (2, 2)]
