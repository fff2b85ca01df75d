"""Between the two layouts of models in HDF5, by the config alone: `.h5` files of Keras 1 and 2, and today's.

The legacy layout has one group for each layer of the model. All weights inside, those of inner layers too, are
in one list: the trainable ones first, each part in the order in which layers count their weights (their own,
then those of the layers in them). Readers go by that order. Names of variables are those of Keras where the
class is known (`class_table`), and `variable`, `variable_1`, ... otherwise.
"""

from __future__ import annotations

import copy
from typing import Any, Iterator, Mapping, NamedTuple

from ksave import class_table, hdf5, topology
from ksave.limits import CorruptFileError, UnsafeFileError, visible
from ksave.migration_tables import CLASSES

TOP = "top_level_model_weights"
_FUNCTIONAL = ("Functional", "Model")


class UnknownOrderError(ValueError):
    """The order of weights in a layer depends on classes that are not known here."""


class Saved(NamedTuple):
    """What a legacy file holds: data sets by layer and weight, and those of the optimizer in order."""

    layers: dict[str, dict[str, Any]]
    optimizer: list[Any]


class Slot(NamedTuple):
    """One variable: its node and key in today's layout, its name in the legacy one."""

    path: str
    key: str
    name: str
    trainable: bool


def names(group: Any, key: str) -> list[str]:
    """A list of names in an attribute, which long ones spread over `key0`, `key1`, ....

    Raises:
        CorruptFileError: it is no list of names, or has one twice: whoever follows both does the work of a large file.
    """
    found: list[str] = []
    for part in [key] if key in group.attrs else iter(_parts(group, key)):
        values = group.attrs[part]
        if len(getattr(values, "shape", None) or ()) != 1:
            raise CorruptFileError(
                f"{group.file.filename}: the attribute {part!r} of {group.name} is no list of names."
            )
        found += [hdf5.as_text(value, part, group) for value in values]
    # HDF5 leaves out empty parts and "." of a path.
    places = {tuple(part for part in name.split("/") if part not in ("", ".")) for name in found}
    if len(places) != len(found):
        raise CorruptFileError(f"{group.file.filename}: {key!r} of {group.name} has a name twice.")
    for name in found:
        if visible(name) != name:
            raise UnsafeFileError(f"{group.file.filename}: the name {name!r} has control characters.")
    return found


def _parts(group: Any, key: str) -> Iterator[str]:
    number = 0
    while f"{key}{number}" in group.attrs:
        yield f"{key}{number}"
        number += 1


def read(file: Any) -> Saved:
    """The data sets of an open legacy file of a whole model or of weights.

    Raises:
        CorruptFileError: a name in a list has no data set.
    """
    group = inner(file, "model_weights") if "model_weights" in file else file
    layers = {}
    for layer in [*names(group, "layer_names"), *([TOP] if TOP in group else ())]:
        weights = inner(group, layer)
        layers[layer] = {name: data_in(weights, name) for name in names(weights, "weight_names")}
    if "optimizer_weights" not in file:
        return Saved(layers, [])
    optimizer = inner(file, "optimizer_weights")
    return Saved(layers, [data_in(optimizer, name) for name in names(optimizer, "weight_names")])


def inner(group: Any, name: str) -> Any:
    """A group in another one.

    Raises:
        CorruptFileError: there is none of this name.
    """
    found = group.get(name)
    if not hasattr(found, "keys"):
        raise CorruptFileError(f"The file lists {name!r} in {group.name}, but there is no such group.")
    return found


def data_in(group: Any, name: str) -> Any:
    """An array in a group.

    Raises:
        CorruptFileError: there is none of this name.
    """
    data = group.get(name)
    if not hasattr(data, "shape"):
        raise CorruptFileError(f"The file lists {name!r} in {group.name}, but there is no such array.")
    return data


def to_store(config: dict[str, Any], layers: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, Any], dict[str, str]]:
    """Arrays by their names in today's layout, and the names of all nodes.

    Args:
        config: the model, with modules (see `modern_config`).
        layers: arrays by layer and legacy name, in the order of the file.

    Raises:
        ValueError: the weights do not fit the layers, or what is inside a layer is not known.
    """
    model = topology.read(config)
    found: dict[str, Any] = {}
    filled = {name: list(weights.values()) for name, weights in layers.items() if weights and name != TOP}
    taken = set()
    for layer in model.children:
        values = filled.get(layer.name, [])
        taken.add(layer.name)
        slots = _slots(layer, {}, len(values))
        if len(slots) != len(values):
            raise ValueError(
                f"The layer {layer.name!r} ({layer.class_name}) has {len(slots)} variables by its config, "
                f"the file holds {len(values)}: {', '.join(layers.get(layer.name, ())) or 'none'}."
            )
        for slot, value in zip(slots, values):
            found[_full(slot.path, slot.key)] = value
    for index, value in enumerate(layers.get(TOP, {}).values()):
        found[f"vars/{index}"] = value
    left = [name for name in filled if name not in taken]
    if left:
        raise ValueError(f"The file has weights of layers that its config does not list: {', '.join(left)}.")
    nodes = {layer.path: layer.name for _, layer in model.walk() if layer.name}
    return found, nodes


def from_store(
    config: dict[str, Any], nodes: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Arrays by layer and legacy name, in the order of the format; and the paths that have no place there.

    Args:
        config: the model, with modules.
        nodes: arrays by path and key in today's layout.

    Raises:
        ValueError: the order of what is inside a layer is not known.
    """
    model = topology.read(config)
    layers: dict[str, dict[str, Any]] = {}
    used: set[str] = set()
    for layer in model.children:
        weights: dict[str, Any] = {}
        for slot in _slots(layer, nodes):
            used.add(slot.path)
            array = nodes.get(slot.path, {}).get(slot.key)
            if array is None:
                raise ValueError(f"{_full(slot.path, slot.key)} is missing, so the file is not whole.")
            weights[_free(slot.name, weights)] = array
        layers[layer.name] = weights
    layers[TOP] = {_variable(index): array for index, array in enumerate(nodes.get("", {}).values())}
    return layers, [path for path in nodes if path and nodes[path] and path not in used]


def _slots(layer: topology.Layer, nodes: Mapping[str, Mapping[str, Any]], count: int | None = None) -> list[Slot]:
    """The variables of a layer of the model in the order of the format.

    `nodes` has those of a file in today's layout; else `count` is how many the legacy file has.
    """
    parts = [(names, inner, class_table.variables(_modern(inner.record))) for names, inner in _named(layer, ())]
    if count is None:
        keys = [list(nodes.get(inner.path, ())) for _, inner, _ in parts]
    else:
        keys = [[str(index) for index in range(len(known or ()))] for _, _, known in parts]
        unknown = [index for index, (_, _, known) in enumerate(parts) if known is None]
        rest = count - sum(map(len, keys))
        if len(unknown) == 1:
            keys[unknown[0]] = [str(index) for index in range(rest)]
    filled = [(*part, own) for part, own in zip(parts, keys) if own]
    if len(filled) > 1 and any(known is None or len(known) != len(own) for _, _, known, own in filled):
        raise UnknownOrderError(
            f"The layer {layer.name!r} ({layer.class_name}) holds several layers with weights, and one of them is "
            "of a class, or in a state, that is not known here. Their order in .h5 files depends on it: convert "
            "the file where the class is at hand, by load_model() and save()."
        )
    altered = [inner.name for _, inner, _, _ in filled if class_table.is_altered(_modern(inner.record))]
    if altered:
        raise UnknownOrderError(
            f"The layer {altered[0]!r} is quantized or has a LoRA. What its variables are in the .h5 layout depends "
            "on its class: use load_model() and save() where that is at hand."
        )
    slots = []
    for names_above, inner, known, own in filled:
        sure = known is not None and len(known) == len(own)
        pairs = known if known is not None and sure else [(_variable(index), True) for index in range(len(own))]
        name = "/".join((*names_above, inner.name or inner.path.rpartition("/")[2]))
        slots += [
            Slot(inner.path, key, f"{name}/{variable}", trainable and inner.trainable)
            for key, (variable, trainable) in zip(own, pairs)
        ]
    return [slot for slot in slots if slot.trainable] + [slot for slot in slots if not slot.trainable]


def _named(layer: topology.Layer, parents: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], topology.Layer]]:
    yield parents, layer
    for child in layer.children:
        yield from _named(child, (*parents, layer.name))


def _variable(index: int) -> str:
    return f"variable_{index}" if index else "variable"


def _free(name: str, used: Mapping[str, Any]) -> str:
    number, free = 0, name
    while free in used:
        number += 1
        free = f"{name}_{number}"
    return free


def _full(path: str, key: str) -> str:
    return f"{path}/vars/{key}" if path else f"vars/{key}"


def modern_config(config: dict[str, Any], training: Any = None) -> dict[str, Any]:
    """The record of a model as `.keras` files have it, from the config of a legacy file.

    Args:
        config: `model_config`. It is not changed.
        training: `training_config`, or None.
    """
    model = _modern(copy.deepcopy(config))
    if isinstance(training, dict):
        settings = {key: value for key, value in training.items() if key != "optimizer_config"}
        settings["optimizer"] = training.get("optimizer_config")
        model["compile_config"] = {key: _argument(key, value) for key, value in settings.items()}
    return model


def _modern(value: Any, argument: str = "") -> Any:
    if isinstance(value, list):
        return [_modern(item, argument) for item in value]
    if not isinstance(value, dict):
        return value
    name = value.get("class_name")
    if not isinstance(name, str) or "config" not in value or name.startswith("__"):
        return {key: _modern(item, key) for key, item in value.items()}
    if "module" not in value:
        from ksave.migrations import migrate

        value = {**value, "class_name": CLASSES.get(name, name)}
        value = _place(migrate(value), argument)
    config = value["config"]
    return {**value, "config": _modern(config) if isinstance(config, (dict, list)) else config}


def _place(record: dict[str, Any], argument: str) -> dict[str, Any]:
    name = record["class_name"]
    place: dict[str, Any]
    registered: str | None
    if name in _FUNCTIONAL and topology.is_model(record):
        place = {"module": "keras.src.models.functional", "class_name": "Functional"}
        registered = "Functional"
    else:
        place = {"module": class_table.module_of(name, argument), "class_name": name.rpartition(">")[2]}
        registered = name if place["module"] is None else None
    return {
        **place,
        **{key: value for key, value in record.items() if key != "class_name"},
        "registered_name": registered,
    }


def _argument(key: str, value: Any) -> Any:
    """An argument of `compile`, whose records say by their place what they are."""
    return _modern(value, key) if isinstance(value, (dict, list)) else value
