"""Graphs that ask for far more work than they have layers: refused, or done in proportion to the file."""

from __future__ import annotations

import pytest

import ksave
from ksave.attacks.canaries import bounded
from ksave.deserialize import ConfigError, Loader


def record(module, name, config):
    return {"module": module, "class_name": name, "config": config, "registered_name": None}


def tensor(name, call=0):
    history = {"shape": [None, 2], "dtype": "float32", "keras_history": [name, call, 0]}
    return {"class_name": "__keras_tensor__", "config": history}


def entry(name, batch=None):
    config = {"batch_shape": [batch, 2], "dtype": "float32", "name": name}
    return {**record("keras.layers", "InputLayer", config), "name": name, "inbound_nodes": []}


def functional(name, layers, output):
    ends = {"input_layers": [[layers[0]["name"], 0, 0]], "output_layers": [output]}
    return {
        **record("keras.src.models.functional", "Functional", {"name": name, "layers": layers, **ends}),
        "registered_name": "Functional",
    }


def called(layer, *sources):
    return {**layer, "name": layer["config"]["name"], "inbound_nodes": [{"args": [s], "kwargs": {}} for s in sources]}


def called_twice_at_each_level(depth):
    """A model that calls one twice that calls one twice ...; each batch is another, so that no answer is known."""
    model = record("keras.layers", "Dense", {"units": 2, "name": "dense"})
    for level in range(depth):
        inner = model["config"]["name"]
        layers = [entry(f"in{level}", level + 2), called(model, tensor(f"in{level}"), tensor(inner))]
        outer = functional(f"twice{level}", layers, [inner, 1, 0])
        model = record("keras", "Sequential", {"name": f"model{level}", "layers": [entry(f"start{level}"), outer]})
    return model


def test_models_that_call_each_other_twice():
    assert Loader().deserialize(called_twice_at_each_level(3)).name == "model2"
    with bounded(seconds=60), pytest.raises(ksave.UnsafeFileError, match="hardly end"):
        Loader().deserialize(called_twice_at_each_level(16))


def chain(count, backwards):
    names = [f"relu{number}" for number in range(count)]
    layers = [
        called(record("keras.layers", "ReLU", {"name": name}), tensor(source))
        for source, name in zip(["in", *names], names)
    ]
    return functional("chain", [entry("in"), *(layers[::-1] if backwards else layers)], [names[-1], 0, 0])


def test_layers_in_any_order_are_each_looked_at_once(monkeypatch):
    from klayers import graph_config

    looked = []
    arguments = graph_config._call_arguments
    monkeypatch.setattr(graph_config, "_call_arguments", lambda *args: looked.append(1) or arguments(*args))
    for backwards in (False, True):
        looked.clear()
        model = Loader().deserialize(chain(300, backwards))
        assert model.output_shape == [(None, 2)] and len(model.layers) == 301
        assert len(looked) <= 600


def test_graphs_without_a_beginning():
    dense = [record("keras.layers", "Dense", {"units": 2, "name": name}) for name in "ab"]
    layers = [entry("in"), called(dense[0], tensor("b")), called(dense[1], tensor("a"))]
    with pytest.raises(ConfigError, match="incomplete: 'a', 'b'"):
        Loader().deserialize(functional("circle", layers, ["a", 0, 0]))
    itself = functional("itself", [entry("in"), called(dense[0], tensor("a"))], ["a", 0, 0])
    with pytest.raises(ConfigError, match="incomplete"):
        Loader().deserialize(itself)
