"""The layers that a config lists, with the place that each has in a weights file; no class is needed for it."""

from __future__ import annotations

import dataclasses
from typing import Any, Iterator

from ksave.limits import DEFAULT, CorruptFileError, UnsafeFileError
from ksave.saveables import snake_case

# Whose place in weights files is named after the class itself, not after its public name.
_CLASS_NAMES = {"GroupQueryAttention": "GroupedQueryAttention"}
_CELLS = {
    "LSTM": "LSTMCell",
    "GRU": "GRUCell",
    "SimpleRNN": "SimpleRNNCell",
    "ConvLSTM1D": "ConvLSTMCell",
    "ConvLSTM2D": "ConvLSTMCell",
    "ConvLSTM3D": "ConvLSTMCell",
}
# Attribute in weights files and name of the inner layer, in the order in which legacy files list them.
_ATTENTION = {
    "MultiHeadAttention": (
        ("query_dense", "query"),
        ("key_dense", "key"),
        ("_gate_dense", "gate"),
        ("value_dense", "value"),
        ("output_dense", "attention_output"),
    ),
    "GroupedQueryAttention": (
        ("_query_dense", "query"),
        ("_key_dense", "key"),
        ("_gate_dense", "gate"),
        ("_value_dense", "value"),
        ("_output_dense", "attention_output"),
    ),
}
_ATTENTION["GroupQueryAttention"] = _ATTENTION["GroupedQueryAttention"]


@dataclasses.dataclass
class Layer:
    """A layer of a config.

    Args:
        record: its record; for layers that a class makes itself (the cell of an LSTM) one that was made up.
        path: where its weights are, as `layers/dense`; "" for the model.
        trainable: it is, and so is all that it is in.
        children: the layers in it, in the order in which it counts its weights.
    """

    record: dict[str, Any]
    path: str
    trainable: bool
    children: list[Layer]

    @property
    def class_name(self) -> str:
        return str(self.record["class_name"])

    @property
    def config(self) -> dict[str, Any]:
        config = self.record.get("config")
        return config if isinstance(config, dict) else {}

    @property
    def name(self) -> str:
        return str(self.config.get("name", self.record.get("name", "")))

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Layer]]:
        """This layer and all in it, each with its depth."""
        stack = [(depth, self)]
        while stack:
            depth, layer = stack.pop()
            yield depth, layer
            stack += [(depth + 1, child) for child in reversed(layer.children)]


def read(config: dict[str, Any]) -> Layer:
    """The model that a config describes, with all layers in it.

    Args:
        config: the record of a model.

    Raises:
        CorruptFileError: something that should be a record of a layer is not.
    """
    return _Walk().layer(config, "", True)


def is_model(record: dict[str, Any]) -> bool:
    """Whether a record is of a Sequential or Functional model, whose layers are listed in its config."""
    config = record.get("config")
    return isinstance(config, dict) and isinstance(config.get("layers"), list)


def is_op(record: dict[str, Any]) -> bool:
    """Whether a record in a graph is an operation, which is no layer and has no weights."""
    return str(record.get("module") or "").startswith(("keras.src.ops", "keras.ops"))


class _Walk:
    """One pass through a config."""

    def __init__(self) -> None:
        self.left = DEFAULT.members  # a few records that each make two layers can stand for any number of them
        self.places: dict[Any, str] = {}  # of objects that are used several times

    def layer(self, record: Any, path: str, trainable: bool) -> Layer:
        if not isinstance(record, dict) or not isinstance(record.get("class_name"), str):
            where = path or "its root"
            raise CorruptFileError(f"The config at {where} has no record of a layer, but {record!r:.60}.")
        self.left -= 1
        if self.left < 0:
            raise UnsafeFileError(f"The config describes more than {DEFAULT.members} layers; that is too much.")
        number = record.get("shared_object_id")
        if number is not None:
            # An object that was met before keeps the place of its first meeting.
            path = self.places.setdefault(str(number), path)
        layer = Layer(record, path, trainable, [])
        layer.trainable = trainable and bool(layer.config.get("trainable", True))
        for attribute, inner in _inside(record, layer.config):
            place = f"{path}/{attribute}" if path else attribute
            layer.children.append(self.layer(inner, place, layer.trainable))
        return layer


def _inside(record: dict[str, Any], config: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Attribute path and record of each layer directly in another."""
    name = record["class_name"]
    if isinstance(config.get("layers"), list):
        layers = [layer for layer in config["layers"] if not (isinstance(layer, dict) and is_op(layer))]
        if name == "Sequential":
            layers = [layer for layer in layers if not _is_input(layer)]
        yield from _members("layers", layers)
    elif name in _CELLS:
        cell = {"module": "keras.layers", "class_name": _CELLS[name]}
        yield "cell", {**cell, "config": {**_plain(config), "name": snake_case(_CELLS[name])}}
    elif name in _ATTENTION:
        for attribute, inner in _ATTENTION[name]:
            dense = {"name": inner, "bias_axes": config.get("use_bias", True), "dtype": config.get("dtype")}
            if inner != "gate" or config.get("use_gate"):
                yield attribute, {"module": "keras.layers", "class_name": "EinsumDense", "config": dense}
    elif name == "Bidirectional":
        yield "forward_layer", _renamed(config.get("layer"), "forward_")
        backward = config.get("backward_layer")  # where one was given it has its own name
        yield "backward_layer", backward or _renamed(config.get("layer"), "backward_")
    elif isinstance(config.get("cells"), list):
        yield from _members("cells", config["cells"])
    else:
        for key in ("cell", "layer"):
            if isinstance(config.get(key), dict) and "class_name" in config[key]:
                yield key, config[key]


def _members(attribute: str, records: list[Any]) -> Iterator[tuple[str, Any]]:
    used: dict[str, int] = {}
    for record in records:
        class_name = record.get("class_name") if isinstance(record, dict) else None
        class_name = str(class_name).rpartition(">")[2]
        name = snake_case(_CLASS_NAMES.get(class_name, class_name))
        count = used.get(name, 0)
        used[name] = count + 1
        yield f"{attribute}/{name}_{count}" if count else f"{attribute}/{name}", record


def _is_input(record: Any) -> bool:
    return isinstance(record, dict) and record.get("class_name") == "InputLayer"


def _plain(config: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key in ("use_bias", "dtype", "units")}


def _renamed(record: Any, prefix: str) -> Any:
    if not isinstance(record, dict) or not isinstance(record.get("config"), dict):
        return record
    name = str(record["config"].get("name", ""))
    # Older files name the inner layer after its direction already.
    name = name if name.startswith(prefix) else prefix + name.replace("forward_", "", 1)
    return {**record, "config": {**record["config"], "name": name}}
