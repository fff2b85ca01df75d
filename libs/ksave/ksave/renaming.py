"""Giving layers other names in a config, and weights other places in a file."""

from __future__ import annotations

from typing import Any

from ksave import topology
from ksave.contents import Contents, join, split

_BY_OUTPUT = ("loss", "loss_weights", "metrics", "weighted_metrics")


def rename_layer(contents: Contents, name: str, new_name: str) -> None:
    """Give a layer another name: in its config, where the graph refers to it, and beside its weights.

    Args:
        contents: of a file that has a config. It is changed.
        name: of the layer; `outer/inner` for a layer in a layer.
        new_name: its new name, without the names of the layers around it.

    Raises:
        ValueError: there is no such layer, or several, or the new name is taken.
    """
    if contents.config is None:
        raise ValueError(f"{contents.path} has no config, so it has no names of layers.")
    _check_name(new_name)
    around, record = find(contents.config, name)
    old = record["config"]["name"]
    taken = [layer["config"].get("name") for layer in _records(around)]
    if new_name in taken:
        raise ValueError(f"There is a layer {new_name!r} beside {old!r} already.")
    places = {id(layer.record): layer.path for _, layer in topology.read(contents.config).walk()}
    path = places.get(id(record))
    record["config"]["name"] = new_name
    if "name" in record:
        record["name"] = new_name
    if path is not None and contents.names.get(path) == old:
        contents.names[path] = new_name
    config = around["config"]
    _graph(config, old, new_name)
    if around is contents.config:
        settings = contents.config.get("compile_config")
        for key in _BY_OUTPUT:
            value = settings.get(key) if isinstance(settings, dict) else None
            if isinstance(value, dict) and old in value:
                settings[key] = {new_name if k == old else k: v for k, v in value.items()}  # type: ignore[index]


def rename_weights(contents: Contents, path: str, new_path: str) -> None:
    """Move the weights of an object, and of all below it, to another path.

    Args:
        contents: of a file. It is changed.
        path: as `layers/dense`.
        new_path: as `layers/head`; without a `/` only the last part changes.

    Raises:
        ValueError: nothing is at `path`, or something is at `new_path`.
    """
    path, new_path = path.strip("/"), new_path.strip("/")
    for part in new_path.split("/"):
        _check_name(part)
    if "/" not in new_path and "/" in path:
        new_path = f"{path.rpartition('/')[0]}/{new_path}"
    if contents.legacy:
        contents.arrays = {_moved(name, path, new_path): array for name, array in contents.arrays.items()}
        return
    nodes = contents.nodes()
    if not any(_below(node, path) for node in nodes):
        raise ValueError(f"{contents.path} has no weights at {path!r}. 'ksave inspect' shows all.")
    if any(_below(node, new_path) for node in nodes if not _below(node, path)):
        raise ValueError(f"{contents.path} has weights at {new_path!r} already.")
    arrays = {}
    for name, array in contents.arrays.items():
        node, key = split(name)
        arrays[join(_moved(node, path, new_path), key)] = array
    contents.arrays = arrays
    contents.names = {_moved(node, path, new_path): name for node, name in contents.names.items()}


def _check_name(name: str) -> None:
    if not name or "/" in name or name in ("vars", ".", ".."):
        raise ValueError(f"{name!r} cannot be a name.")


def _below(path: str, top: str) -> bool:
    return path == top or path.startswith(f"{top}/")


def _moved(path: str, old: str, new: str) -> str:
    return new + path[len(old) :] if _below(path, old) else path


def _records(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The records of layers directly in another one."""
    config = record.get("config")
    if not isinstance(config, dict):
        return []
    found = [*(config.get("layers") or ()), *(config.get("cells") or ())]
    found += [config.get(key) for key in ("layer", "backward_layer", "cell")]
    return [item for item in found if isinstance(item, dict) and isinstance(item.get("config"), dict)]


def find(model: dict[str, Any], name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The record around a layer, and its own."""
    found: list[tuple[str, dict[str, Any], dict[str, Any]]] = []

    def visit(record: dict[str, Any], prefix: str) -> None:
        for inner in _records(record):
            full = f"{prefix}{inner['config'].get('name')}"
            found.append((full, record, inner))
            visit(inner, f"{full}/")

    visit(model, "")
    meant = [entry for entry in found if entry[0] == name]
    meant = meant or [entry for entry in found if entry[0].rpartition("/")[2] == name]
    if not meant:
        names = ", ".join(entry[0] for entry in found[:20])
        raise ValueError(f"The config has no layer {name!r}. It has: {names}.")
    if len({id(entry[2]) for entry in meant}) > 1:
        raise ValueError(f"{name!r} could be {' or '.join(entry[0] for entry in meant)}. Give the whole name.")
    return meant[0][1], meant[0][2]


def _graph(config: dict[str, Any], old: str, new: str) -> None:
    """References to a layer: `["dense", 0, 0]` in inputs and outputs, and the histories of tensors."""
    for key in ("input_layers", "output_layers"):
        if key in config:
            config[key] = _references(config[key], old, new)
    for layer in config.get("layers") or ():
        if isinstance(layer, dict) and layer.get("inbound_nodes"):
            layer["inbound_nodes"] = _histories(layer["inbound_nodes"], old, new)


def _references(value: Any, old: str, new: str) -> Any:
    if isinstance(value, list):
        if len(value) == 3 and value[0] == old and all(isinstance(item, int) for item in value[1:]):
            return [new, *value[1:]]
        return [_references(item, old, new) for item in value]
    if isinstance(value, dict):
        return {key: _references(item, old, new) for key, item in value.items()}
    return value


def _histories(value: Any, old: str, new: str) -> Any:
    if isinstance(value, list):
        return [_histories(item, old, new) for item in value]
    if not isinstance(value, dict):
        return value
    result = {key: _histories(item, old, new) for key, item in value.items()}
    history = result.get("keras_history")
    if isinstance(history, list) and history and history[0] == old:
        result["keras_history"] = [new, *history[1:]]
    return result
