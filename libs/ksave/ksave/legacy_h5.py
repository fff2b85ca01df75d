"""Reading whole models and weights in the HDF5 layout of Keras 1 and 2 (`model.save("x.h5")`)."""

from __future__ import annotations

import dataclasses
import re
import warnings
from typing import Any

from ksave import checked_json, context, hdf5, legacy_optimizer, legacy_weights, mismatch, versions
from ksave.legacy_config import compile_config
from ksave.legacy_layout import data_in, inner
from ksave.legacy_layout import names as names_in
from ksave.legacy_write import TOP, layer_variables, own_variables
from ksave.limits import DEFAULT, CorruptFileError, visible
from ksave.saveables import walk


def load_model(path: str, loader: Any, compile: bool = True) -> Any:
    """Make the model of a legacy `.h5` file; see `ksave.load_model`."""
    opened, listing = hdf5.open_listed(path, path, loader.limits, text=True)
    with opened as file:
        text = hdf5.text_attribute(file, "model_config")
        if text is None:
            raise CorruptFileError(
                f"{path} holds no model: it has no 'model_config'. If it holds weights alone, make the model "
                "and call load_weights()."
            )
        version = hdf5.text_attribute(file, "keras_version")
        # Keras 1 did not always say that it was.
        before_3 = version is None or versions.is_before_3(version)
        budget = {"left": loader.limits.variable_bytes(hdf5.listed_bytes(listing))}
        loader = dataclasses.replace(loader, legacy=True, before_3=before_3, budget=budget, waiting=[])
        config = checked_json.loads(text, f"{path}: model_config", loader.limits)
        if not isinstance(config, dict) or "class_name" not in config:
            raise CorruptFileError(f"{path}: model_config describes no model.")
        model = loader.deserialize(config)
        layers = getattr(model, "layers", None)
        if not isinstance(layers, list) or not all(hasattr(layer, "trainable_weights") for layer in layers):
            raise CorruptFileError(f"{path}: model_config describes no model.")
        if "model_weights" not in file:
            raise CorruptFileError(f"{path} holds no weights: it has no 'model_weights'.")
        with hdf5.damage(path):
            _read_layers(model, inner(file, "model_weights"), path)
        training = hdf5.text_attribute(file, "training_config")
        if compile and training is not None and hasattr(model, "compile_from_config"):
            settings = checked_json.loads(training, f"{path}: training_config", loader.limits)
            _compile(model, settings, loader)
            if "optimizer_weights" in file:
                _read_optimizer(model, inner(file, "optimizer_weights"), path)
        loader.finish()
    versions.announce(path, version, loader.notes)
    return model


def load_weights(model: Any, path: str, by_name: bool = False, skip_mismatch: bool = False) -> None:
    """Read the weights of a legacy `.h5` file into a built model; see `ksave.load_weights`."""
    with hdf5.open_checked(path, path, DEFAULT, text=True) as file:
        with hdf5.damage(path):
            group = inner(file, "model_weights") if "model_weights" in file else file
            _read_layers(model, group, path, by_name, skip_mismatch)


_SHOWN = 25  # names in an error
# Names of Keras before 2.4 that tell nothing: `training/Adam/variable_1`, `param_1`.
_NUMBERED = re.compile(r"/iterations$|(variable|Variable|param)_?\d*(:0)?$")


def _read_layers(model: Any, group: Any, path: str, by_name: bool = False, skip_mismatch: bool = False) -> None:
    names = names_in(group, "layer_names")
    if not names:
        raise CorruptFileError(f"{path} is not a legacy weights file: it has no 'layer_names'.")
    backend = hdf5.text_attribute(group if "backend" in group.attrs else group.file, "backend")
    saved = [(name, names_in(inner(group, name), "weight_names")) for name in names]
    filled = [(name, weights) for name, weights in saved if weights]
    layers = [layer for layer in model.layers if layer_variables(layer)]
    problems: list[tuple[str, ...]] = []
    if by_name:
        own = {layer.name: layer for layer in layers}
        pairs = [(own[name], name, weights) for name, weights in filled if name in own]
    else:
        if len(filled) != len(layers):
            message = _count_message(path, filled, layers)
            if not skip_mismatch:
                raise mismatch.MismatchError(message)
            warnings.warn(f"{visible(message)} So it is done now.", stacklevel=4)
            return _read_layers(model, group, path, True, True)
        pairs = [(layer, name, weights) for layer, (name, weights) in zip(layers, filled)]
    if TOP in group:
        top = names_in(inner(group, TOP), "weight_names")
        values = [data_in(group[TOP], name) for name in top]
        problems += _assign(own_variables(model), values, path, "the model itself", top)
    for layer, name, weights in pairs:
        values = [data_in(group[name], weight) for weight in weights]
        values = legacy_weights.in_todays_form(layer, values, weights, backend)
        problems += _assign(layer_variables(layer), values, path, layer.name, weights)
    for _, node in walk(model):
        if hasattr(node, "finalize_state") and getattr(node, "weights", None):
            node.finalize_state()  # what a layer derives from its weights, as Normalization does
    if problems:
        table = mismatch.table([("variable", "model", "file", ""), *problems])
        message = "\n".join([f"{path} does not fit the model:", "", *table])
        if not skip_mismatch:
            raise mismatch.MismatchError(f"{message}\nLoad with skip_mismatch=True to leave these as they are.")
        warnings.warn(f"Skipped what does not fit. {visible(message)}", stacklevel=4)


def _assign(variables: list[Any], values: list[Any], path: str, owner: str, names: list[str]) -> list[tuple[str, ...]]:
    """Set the variables; rows of the message for those that do not fit, and then none is set."""
    if len(variables) != len(values):
        return [(owner, f"{len(variables)} variables", f"{len(values)}", f"in the file: {', '.join(names)}")]
    wrong: list[tuple[str, ...]] = [
        (f"{owner}: {name}", str(tuple(variable.shape)), str(tuple(value.shape)), "another shape")
        for variable, value, name in zip(variables, values, names)
        if tuple(variable.shape) != tuple(value.shape)
    ]
    if not wrong:
        for variable, value in zip(variables, values):
            variable.assign(hdf5.read_array(value) if hasattr(value, "id") else value)
    return wrong


def _count_message(path: str, filled: list[tuple[str, list[str]]], layers: list[Any]) -> str:
    file_names, own = [name for name, _ in filled], [layer.name for layer in layers]
    lines = [f"{path} has weights of {len(filled)} layers, the model has {len(layers)} layers with weights."]
    missing, left = set(own) - set(file_names), set(file_names) - set(own)
    for name in [name for name in own if name in missing][:_SHOWN]:
        near = mismatch.nearest(name, file_names)
        lines.append(f"  not in the file: {name}" + (f" (nearest: {near[0]})" if near else ""))
    lines += [f"  not in the model: {name}" for name in file_names if name in left][:_SHOWN]
    lines.append("With by_name=True layers are matched by name and the others left as they are.")
    return "\n".join(lines)


def _compile(model: Any, settings: dict[str, Any], loader: Any) -> None:
    if not isinstance(settings, dict):
        raise CorruptFileError("The training_config in the file is no JSON object.")
    config = compile_config(settings, loader.public_names)
    optimizer = config["optimizer"]
    if isinstance(optimizer, dict) and isinstance(optimizer.get("class_name"), str):
        # Keras 2.11 and later wrote its own optimizers as if users had registered them.
        package, _, name = optimizer["class_name"].rpartition(">")
        if package == "Custom" and loader.custom(optimizer["class_name"]) is None:
            config["optimizer"] = {**optimizer, "class_name": name}
    with context.active(context.loader, loader):
        loader.further(model, "compile", config, type(model).__name__)


def _read_optimizer(model: Any, group: Any, path: str) -> None:
    optimizer = getattr(model, "optimizer", None)
    names = names_in(group, "weight_names")
    if optimizer is None or not names:
        return
    values = [data_in(group, name) for name in names]
    variables = list(optimizer.variables)
    if all(_NUMBERED.search(name) for name in names):
        variables, values = legacy_optimizer.by_slots(variables, values)
    else:
        variables = legacy_optimizer.in_file_order(variables, names)
    problems = _assign(variables, values, path, "the optimizer", names)
    if problems:
        warnings.warn(f"The optimizer starts afresh: {visible(' '.join(problems[0]))}", stacklevel=4)
