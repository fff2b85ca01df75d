from __future__ import annotations

import pytest

from ksave.limits import CorruptFileError
from ksave.lookup import UnknownObjectError
from ksave.migrations import migrate, summary


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
    dense = {"class_name": "Dense", "config": {"batch_input_shape": [None, 3], "units": 2, "dtype": "float32"}}
    made = migrate({"class_name": "Sequential", "config": {"name": "s", "layers": [dense]}})["config"]["layers"]
    assert made[0] == {"class_name": "InputLayer", "config": {"batch_shape": [None, 3], "dtype": "float32"}}
    assert migrate(made[1])["config"] == {"units": 2, "dtype": "float32"}
    assert migrate({"class_name": "Sequential", "config": [dense]})["config"]["layers"][1] is dense


def test_arguments_that_went_away():
    assert migrate({"class_name": "LSTM", "config": {"units": 2, "time_major": False, "implementation": 2}}) == {
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


def test_what_would_mean_something_else_is_refused():
    with pytest.raises(CorruptFileError, match=r"LSTM was saved with time_major=True.*version of Keras"):
        migrate({"class_name": "LSTM", "config": {"units": 2, "time_major": True}})
    call = {"class_name": "TFOpLambda", "config": {"name": "e", "function": "einsum"}, "name": "e",
            "inbound_nodes": [["_CONSTANT_VALUE", -1, "ij,jk", {}]]}  # fmt: skip
    with pytest.raises(UnknownObjectError, match=r"tf\.einsum \(at 'e'\).*keras\.ops.*load_weights"):
        migrate({"class_name": "Functional", "config": {"layers": [call]}})


def test_decay_is_a_schedule():
    config = migrate({"class_name": "SGD", "config": {"lr": 0.1, "decay": 0.5}})["config"]
    assert config["learning_rate"]["class_name"] == "InverseTimeDecay"
    assert config["learning_rate"]["config"] == {"initial_learning_rate": 0.1, "decay_steps": 1, "decay_rate": 0.5}


def test_hard_sigmoid_keeps_its_slope():
    notes: dict[str, int] = {}
    made = migrate({"class_name": "LSTM", "config": {"units": 2, "recurrent_activation": "hard_sigmoid"}}, notes)
    assert made["config"]["recurrent_activation"] == "hard_sigmoid_of_keras_2"
    assert "0.2 x + 0.5" in summary(notes)


def test_defaults_of_that_time():
    assert migrate({"class_name": "GRU", "config": {"units": 2}})["config"] == {"units": 2, "reset_after": False}
    assert migrate({"class_name": "CuDNNGRU", "config": {"units": 2}}) == {
        "class_name": "GRU", "config": {"units": 2, "reset_after": True},
    }  # fmt: skip


def test_layers_of_keras_1():
    convolution = {
        "class_name": "Convolution2D",
        "config": {
            "nb_filter": 4, "nb_row": 3, "nb_col": 2, "init": "uniform", "border_mode": "same", "subsample": [1, 1],
            "dim_ordering": "th", "W_regularizer": {"name": "L1L2Regularizer", "l1": 0.0, "l2": 0.5}, "bias": True,
            "W_constraint": {"name": "MaxNorm", "m": 2, "axis": 0},
        },
    }  # fmt: skip
    padding = {"class_name": "ZeroPadding2D", "config": {"padding": [1, 1]}}
    made = migrate({"class_name": "Sequential", "config": [convolution, padding]})["config"]["layers"]
    assert migrate(made[0]) == {
        "class_name": "Conv2D",
        "config": {
            "filters": 4, "kernel_size": [3, 2], "kernel_initializer": "random_uniform", "padding": "same",
            "strides": [1, 1], "data_format": "channels_first", "use_bias": True,
            "kernel_regularizer": {"class_name": "L1L2", "config": {"l1": 0.0, "l2": 0.5}},
            "kernel_constraint": {"class_name": "MaxNorm", "config": {"max_value": 2, "axis": 0}},
        },
    }  # fmt: skip
    assert migrate(made[1])["config"] == {"padding": [1, 1], "data_format": "channels_first"}
    assert migrate({"class_name": "Merge", "config": {"name": "m", "mode": "cos", "dot_axes": 1}}) == {
        "class_name": "Dot", "config": {"name": "m", "axes": 1, "normalize": True},
    }  # fmt: skip


def test_calls_of_inner_models_are_counted_from_one():
    inner = {"class_name": "Sequential", "config": {"name": "s", "layers": []}, "name": "s",
             "inbound_nodes": [[["x", 0, 0, {}]], [["y", 0, 0, {}]]]}  # fmt: skip
    after = {"class_name": "Add", "config": {"name": "a"}, "name": "a",
             "inbound_nodes": [[["s", 1, 0, {}], ["s", 2, 0, {}]]]}  # fmt: skip
    config = {"layers": [inner, after], "output_layers": [["s", 2, 0]]}
    made = migrate({"class_name": "Functional", "config": config})["config"]
    assert made["layers"][1]["inbound_nodes"][0]["args"] == [[_tensor("s", 0, 0), _tensor("s", 1, 0)]]
    assert made["output_layers"] == [["s", 1, 0]]


def test_calls_of_tensorflow_are_ops():
    def layer(function, call, name="l"):
        return {"class_name": "TFOpLambda", "config": {"name": name, "function": function}, "name": name,
                "inbound_nodes": [call]}  # fmt: skip

    layers = [
        layer("math.reduce_mean", ["x", 0, 0, {"axis": 1, "name": None}]),
        layer("math.subtract", ["_CONSTANT_VALUE", -1, 2.0, {"y": ["x", 0, 0]}]),
        layer("concat", [["x", 0, 0, {"axis": -1}], ["y", 0, 0, {"axis": -1}]]),
    ]
    mean, difference, concatenation = migrate({"class_name": "Functional", "config": {"layers": layers}})["config"][
        "layers"
    ]
    assert (mean["module"], mean["class_name"]) == ("keras.src.ops.numpy", "Mean")
    assert mean["config"] == {"name": "l", "axis": 1} and mean["inbound_nodes"][0]["args"] == [_tensor("x", 0, 0)]
    assert difference["inbound_nodes"][0]["args"] == [2.0, _tensor("x", 0, 0)]
    assert concatenation["inbound_nodes"][0]["args"] == [[_tensor("x", 0, 0), _tensor("y", 0, 0)]]
    with pytest.raises(UnknownObjectError, match="transpose_b"):
        matmul = layer("linalg.matmul", ["x", 0, 0, {"b": ["y", 0, 0], "transpose_b": True}])
        migrate({"class_name": "Functional", "config": {"layers": [matmul]}})
