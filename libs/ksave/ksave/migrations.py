"""What older versions wrote differently in configs, put into today's form before it is loaded.

The facts are in `migration_tables`.
"""

from __future__ import annotations

from typing import Any

from ksave import migration_tables as tables
from ksave.limits import CorruptFileError
from ksave.lookup import UnknownObjectError


class MigrationWarning(UserWarning):
    """A file of an older version was loaded; the text says what was read differently from how it stands there."""


def migrate(record: dict[str, Any], notes: dict[str, int] | None = None) -> dict[str, Any]:
    """A record of an older version as today's would be written; others come back unchanged.

    Args:
        record: one record with `class_name` and `config`. It is not changed.
        notes: how often what was changed is counted here, in words.

    Raises:
        CorruptFileError: an argument chose something that there no longer is.
        UnknownObjectError: the graph calls TensorFlow itself.

    Example:
        >>> migrate({"class_name": "LeakyReLU", "config": {"alpha": 0.2}})["config"]
        {'negative_slope': 0.2}
    """
    notes = {} if notes is None else notes
    old_name, config = record["class_name"], record["config"]
    if isinstance(config, list) and old_name in ("Sequential", "Model"):
        config = {"layers": config}  # Keras 1 had no name there
    if not isinstance(config, dict):
        return record
    config = dict(config)
    if old_name in tables.TENSORFLOW_CALLS:
        raise UnknownObjectError(f"The file holds a {old_name}, a call of a TensorFlow function, outside a graph.")
    name = tables.CLASSES.get(old_name, old_name)
    if old_name == "Merge":
        name, config = _merge(config)
    elif old_name == "ThresholdedReLU":
        name, config["threshold"] = "ReLU", config.pop("theta", 1.0)
    elif old_name == "CuDNNGRU":
        config["reset_after"] = True
    if name != old_name:
        _note(notes, f"{old_name} is {name}")
    _rename(name, config, notes)
    if any(mark in config for mark in tables.KERAS_1_MARKS):
        _keras_1(name, config)
        _note(notes, f"{name}: arguments of Keras 1")
    _leave_out(name, config, notes)
    for argument, value in tables.DEFAULTS.get(name, {}).items():
        if argument not in config:
            config[argument] = value
            _note(notes, f"{name}: {argument}={value}, as was the default")
    for argument, values in tables.VALUES.get(name, {}).items():
        if isinstance(config.get(argument), str):
            config[argument] = values.get(config[argument], config[argument])
    _optimizer(name, config, notes)
    _loss(config)
    if name == "BatchNormalization" and isinstance(config.get("axis"), list) and len(config["axis"]) == 1:
        config["axis"] = config["axis"][0]
    for argument in ("activation", "recurrent_activation"):
        if config.get(argument) == "hard_sigmoid":
            config[argument] = "hard_sigmoid_of_keras_2"
            _note(notes, f"{name}: hard_sigmoid is max(0, min(1, 0.2 x + 0.5)), as it was")
    if isinstance(config.get("layers"), list):
        sequential, functional = _counted_from_one(config["layers"])
        for ends in ("input_layers", "output_layers"):
            if ends in config:
                config[ends] = _ends(config[ends], sequential)
        config["layers"] = _layers(name, config["layers"], sequential | functional)
    made = {**record, "class_name": name, "config": config}
    if made.get("module") == "keras.optimizers.legacy":
        made["module"] = "keras.optimizers"
    if isinstance(made.get("compile_config"), dict):
        made["compile_config"] = _compile_config(made["compile_config"])
    if name == "MultiHeadAttention" and "query_shape" in record["config"]:
        shapes = {key: record["config"].get(key) for key in ("query_shape", "value_shape", "key_shape")}
        made["build_config"] = {"shapes_dict": {key: shape for key, shape in shapes.items() if shape is not None}}
    if name != old_name and made.get("registered_name") == old_name:
        made["registered_name"] = None
    return made


def _note(notes: dict[str, int], words: str) -> None:
    notes[words] = notes.get(words, 0) + 1


def summary(notes: dict[str, int]) -> str:
    """The counted changes as one list in words."""
    shown = [f"{words} ({count} times)" if count > 1 else words for words, count in sorted(notes.items())]
    return "; ".join(shown)


def _rename(name: str, config: dict[str, Any], notes: dict[str, int]) -> None:
    for old, new in tables.ARGUMENTS.get(name, {}).items():
        if old in config:
            value = config.pop(old)
            config.setdefault(new, value)
            if old != "batch_input_shape":
                _note(notes, f"{name}: {old} is {new}")


def _leave_out(name: str, config: dict[str, Any], notes: dict[str, int]) -> None:
    gone = {**tables.GONE_EVERYWHERE, **tables.GONE.get(name, {})}
    for argument in [key for key in config if key in gone]:
        if argument == "batch_input_shape" and isinstance(config.get("layers"), list):
            continue
        value, harmless = config.pop(argument), gone[argument]
        if harmless is not tables.ANY and value not in harmless:
            raise CorruptFileError(
                f"{name} was saved with {argument}={value!r}, which today's {name} cannot do (only "
                f"{harmless[0]!r}). Load the file with the version of Keras that wrote it, and rebuild the model."
            )
        if argument not in tables.GONE_EVERYWHERE:
            _note(notes, f"{name}: left out {argument}")


def _optimizer(name: str, config: dict[str, Any], notes: dict[str, int]) -> None:
    if not any(mark in config for mark in tables.OPTIMIZER_MARKS) or not ("lr" in config or "learning_rate" in config):
        return
    if "lr" in config:
        config["learning_rate"] = config.pop("lr")
    decay = config.pop("decay", None)
    config.pop("is_legacy_optimizer", None)
    config.pop("jit_compile", None)
    config.pop("schedule_decay", None)  # Nadam of Keras 2, a constant today
    if config.get("epsilon", 0) is None:
        config["epsilon"] = 1e-7
    if decay and not isinstance(config["learning_rate"], dict):
        config["learning_rate"] = {
            "module": "keras.optimizers.schedules",
            "class_name": "InverseTimeDecay",
            "config": {"initial_learning_rate": config["learning_rate"], "decay_steps": 1, "decay_rate": decay},
            "registered_name": None,
        }
        _note(notes, f"{name}: decay is a schedule, InverseTimeDecay")


def _compile_config(config: dict[str, Any]) -> dict[str, Any]:
    """Without what was not set, which has other defaults today."""
    return {key: value for key, value in config.items() if value is not None and key != "sample_weight_mode"}


def _loss(config: dict[str, Any]) -> None:
    """Losses of tf.keras named their function, and a reduction that was chosen later."""
    if "reduction" in config and isinstance(config.get("fn"), str):
        del config["fn"]
    if config.get("reduction") == "auto":
        config["reduction"] = "sum_over_batch_size"


# -- Keras 1 ---------------------------------------------------------------------------------------------


def _merge(config: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    mode = config.get("mode")
    if mode not in tables.KERAS_1_MERGES:
        raise CorruptFileError(
            f"A Merge layer was saved with mode={mode!r}; {', '.join(tables.KERAS_1_MERGES)} can be loaded."
        )
    made: dict[str, Any] = {"name": config.get("name")}
    if mode == "concat":
        made["axis"] = config.get("concat_axis", -1)
    elif mode in ("dot", "cos"):
        made.update(axes=config.get("dot_axes", -1), normalize=mode == "cos")
    return tables.KERAS_1_MERGES[mode], made


def _keras_1(name: str, config: dict[str, Any]) -> None:
    for sizes in tables.KERAS_1_KERNEL:
        if sizes[0] in config:
            config["kernel_size"] = [config.pop(size) for size in sizes]
    ordering = config.pop("dim_ordering", None)
    if ordering in tables.KERAS_1_ORDERINGS:
        config["data_format"] = tables.KERAS_1_ORDERINGS[ordering]
    for old, new in tables.KERAS_1_ARGUMENTS.items():
        if old in config:
            config[new] = config.pop(old)
    if "forget_bias_init" in config:
        config["unit_forget_bias"] = config.pop("forget_bias_init") == "one"
    for argument, value in config.items():
        if argument.endswith("_initializer") and value in tables.KERAS_1_INITIALIZERS:
            config[argument] = tables.KERAS_1_INITIALIZERS[value]
        elif isinstance(value, dict) and value.get("name") in tables.KERAS_1_REGULARIZERS:
            arguments = {key: part for key, part in value.items() if key != "name"}
            if "m" in arguments:
                arguments["max_value"] = arguments.pop("m")
            config[argument] = {"class_name": tables.KERAS_1_REGULARIZERS[value["name"]], "config": arguments}


def _with_ordering(layers: list[Any]) -> list[Any]:
    """Layers of Keras 1 that did not write their ordering had that of the others."""
    configs = [layer.get("config") for layer in layers if isinstance(layer, dict)]
    found = [config["dim_ordering"] for config in configs if isinstance(config, dict) and "dim_ordering" in config]
    if not found:
        return layers
    return [
        {**layer, "config": {"dim_ordering": found[0], **layer["config"]}}
        if layer.get("class_name") in tables.KERAS_1_SILENT and isinstance(layer.get("config"), dict)
        else layer
        for layer in layers
    ]


# -- graphs ----------------------------------------------------------------------------------------------


def _layers(model: str, layers: list[Any], shifted: set[str]) -> list[Any]:
    layers = _with_ordering(layers)
    layers = [
        _call_of_tensorflow(layer, shifted)
        if isinstance(layer, dict) and layer.get("class_name") in tables.TENSORFLOW_CALLS
        else {**layer, "inbound_nodes": [_node(node, shifted) for node in layer["inbound_nodes"]]}
        if isinstance(layer, dict) and layer.get("inbound_nodes")
        else layer
        for layer in layers
    ]
    first = layers[0] if layers and isinstance(layers[0], dict) else {}
    config = first.get("config") if isinstance(first.get("config"), dict) else {}
    shape = config.get("batch_input_shape")  # type: ignore[union-attr]
    if model == "Sequential" and shape and first.get("class_name") != "InputLayer":
        dtype = config.get("input_dtype") or config.get("dtype")  # type: ignore[union-attr]
        given = {"batch_shape": shape, "dtype": dtype if isinstance(dtype, str) else "float32"}
        layers.insert(0, {"class_name": "InputLayer", "config": given})
    return layers


def _counted_from_one(layers: list[Any]) -> tuple[set[str], set[str]]:
    """Names of the inner Sequential and functional models, whose calls were counted from 1.

    Number 0 was the node that linked the inputs of such a model to its outputs. Keras 3, whose nodes are dictionaries,
    counts from 0, except for functional models among the inputs and outputs.
    """
    names: dict[str, set[str]] = {"Sequential": set(), "Functional": set(), "Model": set()}
    for layer in layers:
        if not isinstance(layer, dict):
            continue
        if any(isinstance(node, dict) and "args" in node for node in layer.get("inbound_nodes") or ()):
            return set(), set()
        if layer.get("class_name") in names and isinstance(layer.get("config"), (dict, list)):
            own = layer["config"].get("name") if isinstance(layer["config"], dict) else None
            names[layer["class_name"]].add(str(layer.get("name") or own))
    return names["Sequential"], names["Functional"] | names["Model"]


def _ends(places: Any, shifted: set[str]) -> Any:
    """The inputs or outputs of a model, with the calls of inner Sequential models counted from 0."""
    if _is_place(places):
        return [places[0], _call(places, shifted), *places[2:]]
    if isinstance(places, list):
        return [_ends(place, shifted) for place in places]
    if isinstance(places, dict):
        return {key: _ends(place, shifted) for key, place in places.items()}
    return places


def _node(node: Any, shifted: set[str]) -> Any:
    """`[[layer, node, tensor, kwargs], ...]` as `{"args": ..., "kwargs": ...}`."""
    if isinstance(node, dict) and "args" in node:
        return node
    if isinstance(node, dict):  # a model that was called on a dictionary
        return {"args": [{key: _tensor(place, shifted) for key, place in node.items()}], "kwargs": {}}
    if node and isinstance(node[0], str):
        node = [node]
    kwargs = dict(node[0][3]) if node and len(node[0]) > 3 else {}
    tensors = [_tensor(place, shifted) for place in node]
    kwargs = {key: _nested(value, shifted) for key, value in kwargs.items()}
    return {"args": tensors if len(tensors) == 1 else [tensors], "kwargs": kwargs}


def _nested(value: Any, shifted: set[str]) -> Any:
    if _is_place(value):
        return _tensor(value, shifted)
    return [_nested(part, shifted) for part in value] if isinstance(value, list) else value


def _call_of_tensorflow(layer: dict[str, Any], shifted: set[str]) -> dict[str, Any]:
    from ksave.migration_tensorflow import node_record

    return node_record(layer, lambda place: _tensor(place, shifted))


def _is_place(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) in (3, 4)
        and isinstance(value[0], str)
        and all(isinstance(index, int) for index in value[1:3])
    )


def _call(place: list[Any], shifted: set[str]) -> int:
    return max(place[1] - 1, 0) if place[0] in shifted else place[1]


def _tensor(place: list[Any], shifted: set[str]) -> dict[str, Any]:
    # Shape and dtype are known again once the graph is made; only the place counts.
    config = {"shape": [], "dtype": "float32", "keras_history": [place[0], _call(place, shifted), place[2]]}
    return {"class_name": "__keras_tensor__", "config": config}
