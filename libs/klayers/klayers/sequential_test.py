"""Sequential: growing, building, saving."""

from __future__ import annotations

import numpy as np
import pytest

import ksave
from klayers.input_layer import Input
from klayers.layers.dense import Dense
from klayers.sequential import Sequential
from kops.engine import engine


def array(x):
    return engine().to_numpy(x)


def test_with_an_input_it_is_built_as_it_grows():
    model = Sequential([Input((4,)), Dense(3, name="a")], name="s")
    model.add(Dense(2, name="b"))
    assert [v.path for v in model.weights] == ["s/a/kernel", "s/a/bias", "s/b/kernel", "s/b/bias"]
    assert model.input_shape == (None, 4) and model.output_shape == (None, 2)
    assert [layer.name for layer in model.layers] == ["a", "b"]


def test_without_an_input_it_is_built_when_called():
    model = Sequential([Dense(3), Dense(2)])
    assert not model.built
    with pytest.raises(AttributeError, match="Input"):
        _ = model.output_shape
    assert array(model(np.ones((5, 4), "float32"))).shape == (5, 2)
    assert model.built and len(model.weights) == 4


def test_build_by_shape_and_pop():
    model = Sequential([Dense(3), Dense(2)])
    model.build((None, 4))
    assert model.output_shape == (None, 2)
    assert model.pop().units == 2
    assert model.output_shape == (None, 3)
    model.add(Dense(7))
    assert array(model(np.ones((1, 4)))).shape == (1, 7)


def test_mistakes_are_explained():
    model = Sequential([Input((4,)), Dense(3, name="a")])
    with pytest.raises(ValueError, match="'a'"):
        model.add(Dense(3, name="a"))
    with pytest.raises(ValueError, match="layers"):
        model.add(3)
    with pytest.raises(ValueError, match="first"):
        model.add(Input((4,)))
    with pytest.raises(ValueError, match="no layer to pop"):
        Sequential().pop()


def test_nested_and_saved(tmp_path):
    inner = Sequential([Dense(3, activation="relu"), Dense(2)], name="inner")
    model = Sequential([Input((4,)), inner, Dense(1)], name="outer")
    x = np.random.default_rng(0).normal(size=(5, 4)).astype("float32")
    want = array(model(x))
    model.save(tmp_path / "m.keras")
    again = ksave.load_model(tmp_path / "m.keras")
    np.testing.assert_allclose(array(again(x)), want, rtol=1e-6)
    assert len(again.weights) == 6


def test_first_layer_may_carry_the_input_shape():
    model = Sequential([Dense(3, input_shape=(4,)), Dense(2)])
    assert model.built and model.input_shape == (None, 4)


def test_many_layers_cost_linear_time():
    model = Sequential([Input((2,))])
    for _ in range(300):
        model.add(Dense(2))
    assert len(model.weights) == 600


def test_the_policy_comes_from_the_config():
    model = Sequential([Dense(2)], name="narrow")
    model.dtype_policy = "mixed_bfloat16"
    assert Sequential.from_config(model.get_config()).dtype_policy.name == "mixed_bfloat16"
