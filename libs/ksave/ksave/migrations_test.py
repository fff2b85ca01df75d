from __future__ import annotations

from ksave.migrations import migrate


def _tensor(*place):
    config = {"shape": [], "dtype": "float32", "keras_history": list(place)}
    return {"class_name": "__keras_tensor__", "config": config}


def test_graphs_of_keras_2():
    layers = [
        {
            "class_name": "InputLayer",
            "config": {"batch_input_shape": [None, 4], "name": "a"},
            "name": "a",
            "inbound_nodes": [],
        },
        {"class_name": "Dense", "config": {"name": "d"}, "name": "d", "inbound_nodes": [[["a", 0, 0, {}]]]},
        {
            "class_name": "Add",
            "config": {"name": "s"},
            "name": "s",
            "inbound_nodes": [[["a", 0, 0, {}], ["d", 0, 0, {}]]],
        },
        {
            "class_name": "MultiHeadAttention",
            "config": {"name": "m"},
            "name": "m",
            "inbound_nodes": [[["s", 0, 0, {"value": ["d", 0, 0], "training": False}]]],
        },
    ]
    record = {"class_name": "Functional", "config": {"layers": layers}}
    made = migrate(record)["config"]["layers"]
    assert made[1]["inbound_nodes"] == [{"args": [_tensor("a", 0, 0)], "kwargs": {}}]
    assert made[2]["inbound_nodes"] == [{"args": [[_tensor("a", 0, 0), _tensor("d", 0, 0)]], "kwargs": {}}]
    assert made[3]["inbound_nodes"] == [
        {"args": [_tensor("s", 0, 0)], "kwargs": {"value": _tensor("d", 0, 0), "training": False}}
    ]
    assert layers[1]["inbound_nodes"] == [[["a", 0, 0, {}]]]  # what was given is not changed
    assert migrate(made[0])["config"] == {"batch_shape": [None, 4], "name": "a"}
    again = migrate({"class_name": "Functional", "config": {"layers": made}})
    assert again["config"]["layers"] == made


def test_sequential_gets_its_input_layer():
    dense = {
        "class_name": "Dense",
        "config": {"batch_input_shape": [None, 3], "units": 2, "dtype": "float32"},
    }
    made = migrate({"class_name": "Sequential", "config": {"name": "s", "layers": [dense]}})["config"][
        "layers"
    ]
    assert made[0] == {"class_name": "InputLayer", "config": {"batch_shape": [None, 3], "dtype": "float32"}}
    assert migrate(made[1])["config"] == {"units": 2, "dtype": "float32"}
    assert migrate({"class_name": "Sequential", "config": [dense]})["config"]["layers"][1] is dense


def test_arguments_that_went_away():
    assert migrate(
        {"class_name": "LSTM", "config": {"units": 2, "time_major": False, "implementation": 2}}
    ) == {
        "class_name": "LSTM",
        "config": {"units": 2},
    }
    assert migrate({"class_name": "BatchNormalization", "config": {"axis": [3]}})["config"] == {"axis": 3}
    adam = {"name": "Adam", "lr": 0.1, "decay": 0.0, "beta_1": 0.9}
    assert migrate({"class_name": "Adam", "config": adam})["config"] == {
        "name": "Adam",
        "learning_rate": 0.1,
        "beta_1": 0.9,
    }
    custom = {"class_name": "Mine", "config": {"decay": 3}}
    assert migrate(custom) == custom
