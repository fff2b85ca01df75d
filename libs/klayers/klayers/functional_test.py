"""Functional models: graphs, structures of inputs and outputs, configs, files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ksave
from klayers.functional import Functional
from klayers.input_layer import Input
from klayers.layer import Layer
from klayers.layers.dense import Dense
from klayers.model import Model, model_from_json
from kops import add, exp
from kops.engine import engine
from kops.ops.manipulation import concatenate


def array(x):
    return engine().to_numpy(x)


def two_branches():
    x = Input((4,), name="x")
    shared = Dense(3, name="shared")
    a = shared(x)
    b = shared(exp(x))
    return Model(x, add(a, b) * 2.0, name="branches")


def test_model_of_tensors_is_functional_and_computes():
    model = two_branches()
    assert isinstance(model, Functional)
    shared = model.get_layer("shared")
    x = np.random.default_rng(0).normal(size=(2, 4)).astype("float32")
    k = shared.kernel.numpy()
    np.testing.assert_allclose(array(model(x)), 2 * (x @ k + np.exp(x) @ k), rtol=1e-5)
    assert model.input_shape == (None, 4) and model.output_shape == (None, 3)
    assert len(model.weights) == 2


def test_inputs_in_any_structure():
    a, b, c = Input((2,), name="a"), Input((2,), name="b"), Input((2,), name="c")
    model = Model({"first": a, "rest": [b, c]}, {"sum": a + b + c, "pair": (a, b)})
    one = np.ones((1, 2), "float32")
    out = model({"first": one, "rest": [2 * one, 3 * one]})
    np.testing.assert_allclose(array(out["sum"]), 6 * one)
    np.testing.assert_allclose(array(out["pair"][1]), 2 * one)
    assert type(out["pair"]) is tuple


def test_inputs_by_name():
    a, b = Input((2,), name="a"), Input((2,), name="b")
    model = Model([a, b], a - b)
    one = np.ones((1, 2), "float32")
    np.testing.assert_allclose(array(model({"b": one, "a": 3 * one})), 2 * one)
    with pytest.raises(ValueError, match=r"2 inputs \(a, b\) but was called with 1"):
        model([one])


def test_inputs_are_cast_and_their_rank_fitted():
    x = Input((1,))
    model = Model(x, x * 2.0)
    assert array(model(np.arange(3))).shape == (3, 1)
    y = Input(())
    assert array(Model(y, y * 2.0)(np.ones((3, 1)))).shape == (3,)
    with pytest.raises(ValueError, match="has shape"):
        two_branches()(np.ones((2, 5), "float32"))


def test_disconnected_graph_names_what_is_missing():
    x, y = Input((2,), name="x"), Input((2,), name="y")
    with pytest.raises(ValueError, match="disconnected.*name=y"):
        Model(x, x + y)


def test_duplicate_names_are_refused():
    x = Input((2,))
    with pytest.raises(ValueError, match="'same'"):
        Model(x, Dense(2, name="same")(Dense(2, name="same")(x)))


def test_a_part_of_a_model_is_a_model():
    x = Input((4,))
    h = Dense(3, activation="relu")(x)
    full = Model(x, Dense(2)(h))
    tail = Model(h, full.output)
    v = np.random.default_rng(0).normal(size=(2, 4)).astype("float32")
    hidden = array(Model(x, h)(v))
    np.testing.assert_allclose(array(tail(hidden)), array(full(v)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("how", ["config", "json", "file"])
def test_round_trips(how, tmp_path):
    x = Input((4,), name="x")
    inner = Model(x, Dense(3)(x), name="inner")
    a, b = Input((4,), name="a"), Input((4,), name="b")
    h = concatenate([inner(a), inner(b)], axis=-1)
    model = Model([a, b], {"y": Dense(2)(h), "h": h[:, 1:3]}, name="outer")
    if how == "config":
        again = Model.from_config(model.get_config())
    elif how == "json":
        again = model_from_json(model.to_json())
    else:
        model.save(tmp_path / "m.keras")
        again = ksave.load_model(tmp_path / "m.keras")
    assert json.dumps(again.get_config()) == json.dumps(model.get_config()) or how == "file"
    again.set_weights(model.get_weights())
    data = [np.random.default_rng(i).normal(size=(2, 4)).astype("float32") for i in range(2)]
    want, got = model(data), again(data)
    for key in want:
        np.testing.assert_allclose(array(got[key]), array(want[key]), rtol=1e-6)
    assert [o.name for o in again.operations] == [o.name for o in model.operations]


def test_subclass_that_passes_its_graph_on():
    class Mine(Model):
        def __init__(self, units):
            x = Input((3,))
            super().__init__(x, Dense(units)(x))
            self.units = units

        def get_config(self):
            return {"units": self.units}

    model = Mine(2)
    assert isinstance(model, Mine) and isinstance(model, Functional)
    assert array(model(np.ones((1, 3)))).shape == (1, 2)
    assert Mine.from_config(model.get_config()).units == 2


def test_masks_flow_through_the_graph():
    class Positive(Layer):
        def compute_mask(self, inputs, previous_mask=None):
            return inputs > 0

        def call(self, x):
            return x

    class Count(Layer):
        def call(self, x, mask=None):
            return engine().cast(mask, "float32") if mask is not None and not hasattr(mask, "_keras_history") else x

    x = Input((3,))
    model = Model(x, Count()(Positive()(x)))
    np.testing.assert_allclose(array(model(np.array([[1.0, -1.0, 2.0]], "float32"))), [[1.0, 0.0, 1.0]])


def test_summary_tells_shapes_and_counts():
    lines = []
    two_branches().summary(print_fn=lines.append)
    text = "\n".join(lines)
    assert '"branches"' in text and "shared (Dense)" in text and "(None, 3)" in text
    assert "Total params: 15 (60.00 B)" in text


def test_predict_in_batches():
    model = two_branches()
    x = np.random.default_rng(0).normal(size=(70, 4)).astype("float32")
    np.testing.assert_allclose(model.predict(x, batch_size=16), array(model(x)), rtol=1e-5, atol=1e-5)


def test_deep_models_do_not_exhaust_the_stack():
    x = h = Input((2,))
    for _ in range(1500):
        h = h + 1.0
    np.testing.assert_allclose(array(Model(x, h)(np.zeros((1, 2)))), [[1500.0, 1500.0]])


def test_calls_in_the_graph_have_the_mode_of_the_model():
    # As in files of Keras, which have the mode of the time when the graph was made in the calls.
    from klayers.layers.dropout import Dropout

    x = np.ones((4, 100), "float32")
    inputs = Input((100,))
    for recorded in (True, False):
        model = Model(inputs, Dropout(0.5)(inputs, training=recorded))
        assert (array(model(x, training=True)) == 0).any()
        assert not (array(model(x, training=False)) == 0).any()
    always = Model(inputs, Dropout(0.5)(inputs, training=True))
    assert (array(always(x)) == 0).any()


def test_files_name_the_class_as_keras_does():
    x = Input((3,))
    record = ksave.serialize_keras_object(Model(x, Dense(2)(x)))
    assert (record["module"], record["class_name"]) == ("keras.src.models.functional", "Functional")


def test_a_list_of_one_output_computes_an_array():
    x = Input((3,))
    model = Model(x, [exp(x)])
    assert isinstance(model(x), list)
    assert engine().to_numpy(model(np.zeros((2, 3), "float32"))).tolist() == [[1.0] * 3] * 2
    assert model.predict(np.ones((2, 3), "float32")).shape == (2, 3)


def test_inputs_that_nothing_uses_stand_first_beside_the_outputs():
    # As Keras 3.15.1 orders them, on which the order of weights in `.h5` files depends.
    a, b, c = (Input((4,), name=name, optional=name != "a") for name in "abc")
    x = Dense(4, name="d2")(Dense(4, name="d1")(a))
    model = Model([c, a, b], [Dense(3, name="d3")(a), x])
    assert [layer.name for layer in model.layers] == ["a", "d1", "c", "b", "d3", "d2"]


def test_frozen_layers_are_frozen_after_a_round_trip():
    x = Input((4,))
    frozen = Dense(3, trainable=False, name="frozen")
    model = Model(x, Dense(2, name="free")(frozen(x)))
    for one in (model, model_from_json(model.to_json()), Model.from_config(model.get_config())):
        assert [v.path for v in one.trainable_weights] == ["free/kernel", "free/bias"]
        assert [layer.trainable for layer in one.layers[1:]] == [False, True]
    model.get_layer("frozen").trainable = True
    assert len(model.trainable_weights) == 4
    model.trainable = False
    model.get_layer("free").trainable = True
    again = model_from_json(model.to_json())
    assert again.trainable_weights == [] and again.get_layer("free").trainable


def test_inputs_in_a_dictionary_of_lists_go_where_they_belong():
    a, b = Input((2,), name="a"), Input((2,), name="b")
    model = Model({"first": a, "rest": [[b]]}, a - b)
    ones = np.ones((1, 2), "float32")
    np.testing.assert_array_equal(array(model({"first": 3 * ones, "rest": [[ones]]})), 2 * ones)
