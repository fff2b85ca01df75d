"""Writing whole models and weights in the HDF5 layout of Keras 1 and 2."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import warnings
from collections import Counter
from typing import Any, Iterator, Sequence

import numpy as np

import kspec
from ksave import hdf5
from ksave.atomic import atomic_file
from ksave.legacy_config import model_record, training_config
from ksave.overwrite import may_write
from ksave.serialize import serialize_keras_object
from ksave.stores import Writer
from ksave.versions import KERAS_VERSION

TOP = "top_level_model_weights"
# What HDF5 takes in the attributes of one object, with room for its own bookkeeping.
_MOST_BYTES = 64512
_POINTER = 16  # what a text of variable length takes in an attribute


def save_model(model: Any, path: str, overwrite: bool) -> None:
    """Write a model, its weights and its training state to a `.h5` file; see `ksave.save_model`."""
    if not may_write(path, overwrite):
        return
    config = json.dumps(model_record(serialize_keras_object(model)))
    if _has_assets(model):
        warnings.warn(
            f"The model has layers with files of their own, as adapted vocabularies; the layout of {path} has no place "
            "for them. Save to a .keras file to keep them.",
            stacklevel=3,
        )
    getter = getattr(model, "get_compile_config", None)
    settings = getter() if getter is not None else None
    with created(path) as writer:
        writer.file.attrs.update(keras_version=KERAS_VERSION, backend=_backend(), model_config=config)
        _write_layers(model, writer, "/model_weights/")
        if settings and settings.get("optimizer"):
            writer.file.attrs["training_config"] = json.dumps(training_config(serialize_keras_object(settings)))
            write_variables(writer, "/optimizer_weights", model.optimizer.variables)


def _has_assets(model: Any) -> bool:
    from ksave.models import write_assets

    with tempfile.TemporaryDirectory() as folder:
        write_assets(model, folder)
        return bool(os.listdir(folder))


def save_weights(model: Any, path: str) -> None:
    """Write the weights of a model to a legacy `.h5` file; see `ksave.save_weights`."""
    with created(path) as writer:
        _write_layers(model, writer, "/")


def own_variables(model: Any) -> list[Any]:
    """The variables that belong to a model itself and to none of its layers, in the order of the format."""
    below = {id(variable) for layer in model.layers for variable in layer_variables(layer)}
    return [variable for variable in layer_variables(model) if id(variable) not in below]


def layer_variables(layer: Any) -> list[Any]:
    """The variables of a layer in the order of the format: trainable ones first."""
    return [*layer.trainable_weights, *layer.non_trainable_weights]


@contextlib.contextmanager
def created(path: str) -> Iterator[Writer]:
    """The writer of a new file, which gets its name at the end of the block."""
    with atomic_file(path) as temporary, Writer(temporary) as writer:
        yield writer


def _backend() -> str:
    name = "keras.config.backend"
    return kspec.resolve(name)() if name in kspec.known_names() else "numpy"


def _write_layers(model: Any, writer: Writer, where: str) -> None:
    if not hasattr(model, "layers"):
        raise TypeError(
            f"{type(model).__name__} has no layers, and the legacy .h5 layout holds the weights of layers. "
            "Save to a .weights.h5 file."
        )
    names = [layer.name for layer in model.layers]
    twice = [name for name, count in Counter([*names, TOP]).items() if count > 1]
    if twice:
        raise ValueError(
            f"The model has two layers named {twice[0]!r}. In the legacy .h5 layout names must differ; rename one, or "
            "save to a .keras file."
        )
    write_head(writer, where, names, KERAS_VERSION, _backend())
    for layer in model.layers:
        write_variables(writer, where + layer.name, layer_variables(layer))
    write_variables(writer, where + TOP, own_variables(model))


def write_head(writer: Writer, where: str, names: list[str], version: str, backend: str) -> None:
    """Begin the group of all layers, whose path ends in a slash."""
    group = writer.group(where)
    group.attrs.update(backend=backend, keras_version=version)
    _write_names(group, "layer_names", names)


def write_variables(writer: Writer, path: str, variables: Sequence[Any]) -> None:
    """Write the group of one layer."""
    names = _different([getattr(variable, "path", None) or variable.name for variable in variables])
    _write_names(writer.group(path), "weight_names", names)
    for name, variable in zip(names, variables):
        array = _known_to_hdf5(variable)
        hdf5.write_array(writer.room(path, array.nbytes), name, array)


def _different(paths: list[str]) -> list[str]:
    """Names for data sets: no two the same, none inside another. Readers go by order, so any will do."""
    names: dict[str, None] = {}
    groups: set[str] = set()
    for path in paths:
        name, number = path, 0
        while name in names or name in groups or any(parent in names for parent in _parents(name)):
            number += 1
            name = f"{path.replace('/', '_')}_{number}"
        names[name] = None
        groups.update(_parents(name))
    return list(names)


def _parents(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _known_to_hdf5(variable: Any) -> Any:
    """Numbers as every reader of the format takes them: wider where HDF5 has no such type, which loses nothing."""
    array = hdf5.to_numpy(variable)
    if array.dtype.type.__module__ != "ml_dtypes":
        return array
    return array.astype("int8" if "int" in array.dtype.name else "float32")


def _write_names(group: Any, key: str, names: list[str]) -> None:
    """Names in an attribute, or spread over `key0`, `key1`, ... where they are too long for one."""
    encoded = [name.encode("utf-8") for name in names]
    longest = max([_POINTER, *map(len, encoded)])
    if len(names) * longest <= _MOST_BYTES:
        group.attrs[key] = names
        return
    if longest > _MOST_BYTES:
        raise ValueError(f"A name of {longest} bytes is too long for the legacy .h5 layout.")
    step = _MOST_BYTES // longest
    for part, start in enumerate(range(0, len(names), step)):
        group.attrs[f"{key}{part}"] = np.asarray(encoded[start : start + step])
