"""Configs as Keras writes them to `.h5` files: layers and training settings as records without modules."""

from __future__ import annotations

from typing import Any, Container

# The training settings of the format; `optimizer_config` is written beside them.
_SETTINGS = ("loss", "loss_weights", "metrics", "weighted_metrics", "run_eagerly", "steps_per_execution", "jit_compile")
# A public name that is not the class's own, by which records without modules go.
_OWN_NAMES = {"GroupQueryAttention": "GroupedQueryAttention"}
_FUNCTIONS = ("function", "builtin_function_or_method")
_LOSSES = {
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_logarithmic_error",
    "kld": "kl_divergence",
    "kl": "kl_divergence",
    "bce": "binary_crossentropy",
    "logcosh": "log_cosh",
}


def legacy_record(record: dict[str, Any]) -> dict[str, Any]:
    """The record of a model or layer as it stands in a `.h5` file.

    The layers of Sequential and Functional models are records without modules, too; all other objects in
    configs are not touched. Ops in a graph keep their modules, without which no reader would find them.

    Args:
        record: what `serialize_keras_object` gave. It is not changed.

    Example:
        >>> legacy_record(serialize_keras_object(Dense(2)))
        {'class_name': 'Dense', 'config': {'name': 'dense', ...}}
    """
    if not _is_record(record) or str(record.get("module")).startswith("keras.src.ops"):
        return record
    config = record["config"]
    sequential = (record.get("module"), record["class_name"]) == ("keras", "Sequential")
    if isinstance(config, dict) and (sequential or "input_layers" in config):
        config = {**config, "layers": [legacy_record(layer) for layer in config["layers"]]}
    place: dict[str, Any] = {key: record[key] for key in ("name", "inbound_nodes") if key in record}
    return {"class_name": _name(record), "config": config, **place}


def model_record(record: dict[str, Any]) -> dict[str, Any]:
    """`legacy_record` of a whole model.

    A subclassed model keeps its `build_config`, of which Keras knows nothing here: without it there would be no
    variables to read the weights into.
    """
    found = legacy_record(record)
    if "layers" not in found["config"] and record.get("build_config"):
        found["build_config"] = record["build_config"]
    return found


def training_config(compile_config: dict[str, Any]) -> dict[str, Any]:
    """The `training_config` of a `.h5` file from what `get_compile_config` of a model gave.

    Args:
        compile_config: serialized arguments of `compile`.
    """
    config = {key: _plain(compile_config.get(key)) for key in _SETTINGS}
    config["loss"] = full_loss_names(config["loss"])
    config["optimizer_config"] = _plain(compile_config.get("optimizer"))
    return config


def compile_config(training: dict[str, Any], known: Container[str]) -> dict[str, Any]:
    """What `compile_from_config` of a model takes, from the `training_config` of a `.h5` file.

    Args:
        training: the settings in the file.
        known: public names. Some classes of losses and of metrics have one name; which is meant is said here.
    """
    config = {key: training[key] for key in _SETTINGS if training.get(key) is not None}
    for key, space in (("loss", "losses"), ("metrics", "metrics"), ("weighted_metrics", "metrics")):
        if key in config:
            config[key] = _placed(config[key], f"keras.{space}", known)
    config["optimizer"] = training.get("optimizer_config")
    return config


def _placed(value: Any, module: str, known: Container[str]) -> Any:
    if isinstance(value, list):
        return [_placed(item, module, known) for item in value]
    if not isinstance(value, dict):
        return value
    if not _is_record(value):
        return {key: _placed(item, module, known) for key, item in value.items()}
    if "module" in value or f"{module}.{value['class_name']}" not in known:
        return value
    return {**value, "module": module, "registered_name": None}


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) and "class_name" in value and "config" in value


def _name(record: dict[str, Any]) -> str:
    name = record["class_name"]
    return record.get("registered_name") or _OWN_NAMES.get(name, name)


def _plain(value: Any) -> Any:
    """Records become those without modules, functions their names."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if not _is_record(value):
        return {key: _plain(item) for key, item in value.items()}
    if value["class_name"] in _FUNCTIONS:
        return value["config"]
    return {"class_name": _name(value), "config": value["config"]}


def full_loss_names(loss: Any) -> Any:
    """Long names of losses: Keras 3.15 takes a short one in a `.h5` file for the metric of that name."""
    if isinstance(loss, list):
        return [full_loss_names(item) for item in loss]
    if isinstance(loss, dict) and not _is_record(loss):
        return {key: full_loss_names(item) for key, item in loss.items()}
    return _LOSSES.get(loss.lower(), loss) if isinstance(loss, str) else loss
