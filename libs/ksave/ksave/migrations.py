"""What older versions wrote differently in configs, put into today's form before it is loaded.

The classes themselves are renamed in `lookup.RENAMED_CLASSES`.
"""

from __future__ import annotations

from typing import Any

# Arguments that went away; what they chose is now always so, or chosen elsewhere.
_DROPPED = {
    "LSTM": {"time_major", "implementation"},
    "GRU": {"time_major", "implementation"},
    "SimpleRNN": {"time_major"},
    "RNN": {"time_major"},
    "LSTMCell": {"implementation"},
    "GRUCell": {"implementation"},
    "BatchNormalization": {"fused", "virtual_batch_size", "adjustment"},
}
_RENAMED = {"InputLayer": {"batch_input_shape": "batch_shape"}}
# Optimizers are told by an argument that only they have.
_OPTIMIZER_RENAMED = {"lr": "learning_rate"}
_OPTIMIZER_DROPPED = {"decay", "is_legacy_optimizer", "jit_compile"}


def migrate(record: dict[str, Any]) -> dict[str, Any]:
    """A record of Keras 1 or 2 as Keras 3 would have written it; others come back unchanged.

    Args:
        record: one record with `class_name` and `config`. It is not changed.
    """
    name, config = record["class_name"], record["config"]
    if isinstance(config, list) and name in ("Sequential", "Model"):
        config = {"layers": config}  # Keras 1 had no name there
    if not isinstance(config, dict):
        return record
    config = dict(config)
    for old, new in _RENAMED.get(name, {}).items():
        if old in config:
            config[new] = config.pop(old)
    if "lr" in config or "is_legacy_optimizer" in config or ("decay" in config and "learning_rate" in config):
        for old, new in _OPTIMIZER_RENAMED.items():
            if old in config:
                config[new] = config.pop(old)
        config = {key: value for key, value in config.items() if key not in _OPTIMIZER_DROPPED}
    dropped = _DROPPED.get(name, set())
    config = {key: value for key, value in config.items() if key not in dropped}
    if name == "BatchNormalization" and isinstance(config.get("axis"), list) and len(config["axis"]) == 1:
        config["axis"] = config["axis"][0]
    if isinstance(config.get("layers"), list):
        config["layers"] = _layers(name, config["layers"])
    elif name != "InputLayer":
        config.pop("batch_input_shape", None)
    return {**record, "config": config}


def _layers(model: str, layers: list[Any]) -> list[Any]:
    layers = [
        {**layer, "inbound_nodes": [_node(node) for node in layer["inbound_nodes"]]}
        if isinstance(layer, dict) and layer.get("inbound_nodes")
        else layer
        for layer in layers
    ]
    first = layers[0] if layers and isinstance(layers[0], dict) else {}
    shape = (
        (first.get("config") or {}).get("batch_input_shape")
        if isinstance(first.get("config"), dict)
        else None
    )
    if model == "Sequential" and shape and first.get("class_name") != "InputLayer":
        dtype = first["config"].get("dtype")
        given = {"batch_shape": shape, "dtype": dtype if isinstance(dtype, str) else "float32"}
        layers.insert(0, {"class_name": "InputLayer", "config": given})
    return layers


def _node(node: Any) -> Any:
    """`[[layer, node, tensor, kwargs], ...]` as `{"args": ..., "kwargs": ...}`."""
    if isinstance(node, dict):
        return node
    if node and isinstance(node[0], str):
        node = [node]
    tensors = [_tensor(place) for place in node]
    kwargs = dict(node[0][3]) if node and len(node[0]) > 3 else {}
    kwargs = {key: _tensor(value) if _is_place(value) else value for key, value in kwargs.items()}
    return {"args": tensors if len(tensors) == 1 else [tensors], "kwargs": kwargs}


def _is_place(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) in (3, 4)
        and isinstance(value[0], str)
        and all(isinstance(index, int) for index in value[1:3])
    )


def _tensor(place: list[Any]) -> dict[str, Any]:
    # Shape and dtype are known again once the graph is made; only the place counts.
    config = {"shape": [], "dtype": "float32", "keras_history": list(place[:3])}
    return {"class_name": "__keras_tensor__", "config": config}
