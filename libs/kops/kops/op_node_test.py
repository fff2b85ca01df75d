"""Graph nodes: names in files, configs, and where tensors stand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kops import add, exp, op_node
from kops.config import settings
from kops.engine import engine
from kops.function import Function
from kops.keras_tensor import KerasTensor
from kops.ops.nn_pooling import max_pool


def _node(x):
    history = x._keras_history
    return history.operation._inbound_nodes[history.node_index]


def test_class_names():
    assert _node(add(KerasTensor((2,)), 1.0)).operation.class_path == ("keras.src.ops.numpy", "Add")


def test_names_are_numbered():
    x = KerasTensor((2,))
    first, second = _node(exp(x)).operation.name, _node(exp(x)).operation.name
    assert first.startswith("exp") and first != second


def test_constants_stay_arguments():
    node = _node(add(KerasTensor((2,)), 1.5))
    assert node.args[1] == 1.5 and len(node.inputs) == 1


def test_from_config():
    node = _node(add(KerasTensor((2,)), KerasTensor((2,))))
    again = op_node.from_config("Add", {"name": "plus"})
    assert again.name == "plus" and again.op is node.operation.op
    x = KerasTensor((2,))
    assert engine().to_numpy(Function(x, again(x, x))(np.ones(2, "float32"))).tolist() == [2.0, 2.0]


def test_from_config_refuses():
    with pytest.raises(ValueError, match="NoSuchOp"):
        op_node.from_config("NoSuchOp", {})
    with pytest.raises(ValueError, match="takes no argument color"):
        op_node.from_config("Add", {"name": "a", "color": 1})


def _spec():
    path = Path(__file__).resolve().parents[3] / "spec" / "serialization.json"
    return json.loads(path.read_text()) if path.exists() else None


@pytest.mark.skipif(_spec() is None, reason="the contract's data is not beside this checkout")
def test_class_names_are_those_of_files():
    """Every op that the contract shows in a graph has our node under the same module and class name."""
    from kops.declare import OPS

    op_node.find("Add")  # declares all ops
    wrong = []
    for name, calls in _spec()["ops"].items():
        op = OPS.get(name.rpartition(".")[2])
        for call in calls:
            given = call["node"]
            if op is not None and given["class_name"] == "Operation":
                continue
            if op is not None and (given["module"], given["class_name"]) != op_node.node_class(op):
                wrong.append(f"{name}: {op_node.node_class(op)}, files say {(given['module'], given['class_name'])}")
    assert not wrong, "\n".join(sorted(set(wrong)))


def test_the_layout_is_written_down(monkeypatch):
    node = _node(max_pool(KerasTensor((1, 4, 6, 2)), 2))
    assert node.operation.get_config()["data_format"] == settings.image_data_format == "channels_last"
    monkeypatch.setattr(settings, "image_data_format", "channels_first")
    again = op_node.from_config("MaxPool", node.operation.get_config())
    assert again(KerasTensor((1, 4, 6, 2))).shape == (1, 2, 3, 2)
