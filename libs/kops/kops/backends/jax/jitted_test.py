"""Plans that are one compiled function: when they are, and that they give what the op gives otherwise."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import kops
from kops import config
from kops.backends.jax import indexing
from kops.declare import OPS

X = np.arange(24, dtype="float32").reshape(2, 3, 4)


def plan(name, *args):
    """The plan that was made by the last call of an op with arguments like these."""
    return list(OPS[name].plans.values())[-1]


def test_kernels_and_casts_are_one_function():
    x = kops.array(X)
    assert hasattr(plan("exp", kops.exp(x)), "lower")
    np.testing.assert_allclose(kops.exp(kops.array([1, 2])), np.exp([1.0, 2.0]), 1e-6)
    assert len(plan("exp").lower(kops.array([1, 2])).as_text().split("stablehlo.convert")) == 2
    with jax.log_compiles(False):
        got = kops.add(x, 2.5), kops.add(kops.array([1, 2]), 2.5), kops.add(kops.array([1.0], "bfloat16"), 1)
    assert [str(y.dtype) for y in got] == ["float32", "float32", "bfloat16"]


def test_traced_arguments_meet_the_kernel():
    kops.sum(kops.array(X))
    before = len(OPS["sum"].plans)
    assert "jit" not in str(jax.make_jaxpr(lambda x: kops.multiply(x, x))(X))
    np.testing.assert_allclose(jax.grad(lambda x: kops.sum(kops.multiply(x, x)))(X), 2 * X)
    assert len(OPS["sum"].plans) > before


@pytest.mark.parametrize("axis", [[0, 2], (0, 2), -1, None])
def test_static_arguments_of_any_kind(axis):
    wanted = X.sum(tuple(axis) if isinstance(axis, list) else axis)
    np.testing.assert_allclose(kops.sum(kops.array(X), axis=axis), wanted)


def test_static_arguments_without_a_hash():
    x = kops.array(X)
    np.testing.assert_array_equal(kops.pad(x, [[1, 0], [0, 0], [0, 2]]).shape, (3, 3, 6))
    np.testing.assert_array_equal(kops.repeat(x, np.array([1, 2]), axis=0), X.repeat([1, 2], 0))
    np.testing.assert_allclose(kops.einsum("abc->b", x), X.sum((0, 2)))
    np.testing.assert_array_equal(kops.segment_sum(kops.array([1.0, 2.0, 4.0]), kops.array([0, 2, 2])), [1, 0, 6])


def test_what_looks_at_values_is_not_compiled():
    x = kops.array([0.0, 3.0, 0.0, 3.0])
    np.testing.assert_array_equal(kops.where(x)[0], [1, 3])
    np.testing.assert_array_equal(kops.nonzero(x)[0], [1, 3])
    np.testing.assert_array_equal(kops.unique(x), [0, 3])
    assert kops.cast(x, "float32") is x


def test_settings_are_followed():
    x = kops.array(X[None])
    before = config.image_data_format(), config.epsilon()
    logits = kops.array([[1e-9, 1.0]]), kops.array([[1.0, 0.0]])
    shape, loss = kops.max_pool(x, (1, 2)).shape, kops.categorical_crossentropy(logits[1], logits[0])
    try:
        config.set_image_data_format("channels_first")
        config.set_epsilon(1e-3)
        assert (shape, kops.max_pool(x, (1, 2)).shape) == ((1, 2, 1, 4), (1, 2, 3, 2))
        assert float(kops.categorical_crossentropy(logits[1], logits[0])[0]) < float(loss[0])
    finally:
        config.set_image_data_format(before[0])
        config.set_epsilon(before[1])


def test_positions_are_not_compiled_in():
    x = kops.array(X)
    for i in range(-2, 2):
        np.testing.assert_array_equal(kops.get_item(x, (i, slice(1, 3))), X[i, 1:3])
    before = indexing._part._cache_size()
    for i in range(3):
        np.testing.assert_array_equal(kops.get_item(x, (slice(None), i)), X[:, i])
        np.testing.assert_array_equal(kops.slice(x, (0, i, 0), (2, 1, 4)), X[:, i : i + 1])
        np.testing.assert_array_equal(kops.get_item(x, (..., slice(i, i + 2), None)), X[..., i : i + 2, None])
        updated = kops.slice_update(x, (0, i, 0), kops.zeros((2, 1, 4)))
        np.testing.assert_array_equal(updated[:, i], 0)
    assert indexing._part._cache_size() == before + 3
    np.testing.assert_array_equal(kops.get_item(x, (slice(None, None, -1), slice(2, 2))), X[::-1, 2:2])
    with pytest.raises(IndexError, match="out of range"):
        kops.get_item(x, (0, 3))
