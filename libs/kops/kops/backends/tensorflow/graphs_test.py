"""Formulas as graphs: when one is made, that it gives what the formula gives, and gradients through it."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from kops.engine import engine

if engine().NAME != "tensorflow":
    pytest.skip("for TensorFlow", allow_module_level=True)

import tensorflow as tf

from kops.backends.tensorflow import graphs
from kops.backends.tensorflow.eager import holds, kept, no_nan, recording


@pytest.fixture
def traced(monkeypatch):
    """The graphs that are made; plans are made anew."""
    made = []
    before = graphs._callable

    def remember(graph):
        made.append(graph)
        return before(graph)

    monkeypatch.setattr(graphs, "_callable", remember)
    monkeypatch.setattr(graphs, "PATIENCE", 1)
    kops.logaddexp2.op.plans.clear()
    kops.deg2rad.op.plans.clear()
    graphs._formula.cache_clear()
    return made


def test_the_second_call_with_the_same_shapes_is_traced(traced):
    x, y = np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32")
    tensors = tf.constant(x), tf.constant(y)
    results = [kops.logaddexp2(*tensors).numpy() for _ in range(4)]
    assert len(traced) == 1
    for got in results:
        np.testing.assert_allclose(got, np.logaddexp2(x, y), rtol=1e-6)
    kops.logaddexp2(tensors[0][:1], tensors[1][:1])
    assert len(traced) == 1
    inside = tf.function(kops.logaddexp2)(*tensors)  # no graph in a graph
    np.testing.assert_allclose(inside, results[0], rtol=1e-6)
    assert len(traced) == 1


def test_what_is_short_stays_as_it_is(traced):
    x = tf.constant([90.0])
    for _ in range(3):
        np.testing.assert_allclose(kops.deg2rad(x), [np.pi / 2], rtol=1e-6)
    assert len(traced) == 1 and graphs._callable(traced[0]) is None


def test_gradients_pass_through_the_graph(traced):
    x, y = tf.constant([0.5, -1.0]), tf.constant([0.25, 2.0])
    found = []
    for _ in range(3):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                total = tf.reduce_sum(kops.logaddexp2(x, y))
            first = tape.gradient(total, x)
        found.append((first.numpy(), outer.gradient(first, x).numpy()))
    assert len(traced) == 1
    share = 1 / (1 + 2 ** (np.array([0.25, 2.0]) - np.array([0.5, -1.0])))
    for first, second in found:
        np.testing.assert_allclose(first, share, rtol=1e-5)
        np.testing.assert_allclose(second, share * (1 - share) * np.log(2), rtol=1e-5)


def test_what_is_known_eagerly():
    x = tf.constant([1.0, np.nan])
    assert holds(x[:1], lambda v: v > 0) and not holds(x, lambda v: v > 0)
    assert no_nan(x[:1]) and not no_nan(x)
    assert no_nan(tf.zeros((0,)))
    assert not no_nan(tf.constant([1.0], tf.bfloat16))  # not looked at
    assert not recording()
    with tf.GradientTape():
        assert recording()
    assert kept((2, 3)) is kept([2, 3])
    seen = []

    @tf.function
    def graph(x):
        seen.append((no_nan(x), recording(), kept((2, 3))))
        return x

    graph(x)
    assert seen == [(False, True, (2, 3))]


@pytest.mark.parametrize("bad", [False, True])
def test_both_ways_of_what_looks_at_its_numbers(bad):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 7)).astype("float32")
    if bad:
        x[1, 2] = x[2, :2] = np.nan
    np.testing.assert_array_equal(kops.sort(x, axis=1), np.sort(x, axis=1))
    np.testing.assert_array_equal(kops.argsort(x, axis=1), np.argsort(x, axis=1, kind="stable"))
    np.testing.assert_array_equal(kops.argmax(x, axis=1), np.argmax(x, axis=1))
    whole = rng.integers(-5, 9, (4, 6)).astype("int32")
    positive = np.abs(whole) + (0 if bad else 1)
    want = np.where(positive == 0, 0, np.mod(whole, np.where(positive == 0, 1, positive)))
    np.testing.assert_array_equal(kops.mod(whole, positive), want)
    places = np.array([[0, 1], [2, -1 if bad else 2]])
    np.testing.assert_array_equal(kops.take(whole, places, axis=0), np.take(whole, places, axis=0))
    np.testing.assert_array_equal(kops.in_top_k(np.array([0, 6, 2]), x, 3), _in_top_k(np.array([0, 6, 2]), x, 3))
    shifts = np.array([0, 3, 40 if bad else 31], "int32")
    np.testing.assert_array_equal(kops.right_shift(np.array([-9, 9, -9], "int32"), shifts), [-9, 9 >> 3, -1])
    hsv = kops.image.rgb_to_hsv(np.array([[[0.5, 0.25, 0.0], [np.nan if bad else 0.0, 0.0, 1.0]]], "float32"))
    np.testing.assert_allclose(hsv[0, 0], [1 / 12, 1.0, 0.5], rtol=1e-6)
    assert np.isnan(hsv[0, 1]).any() == bad


def _in_top_k(targets, x, k):
    score = x[np.arange(len(x)), targets]
    return ((x > score[:, None]).sum(1) < k) & np.isfinite(score)
