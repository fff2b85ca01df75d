"""What is in a file, without any framework: for the command line and for scripts."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Callable, Iterator

import kspec
from ksave import archive, class_table, legacy_layout, remote, sniff, topology
from ksave.contents import Array, Contents, open_contents
from ksave.limits import DEFAULT, Limits
from ksave.models import ASSETS, CONFIG, METADATA
from ksave.versions import KERAS_VERSION, is_newer
from ksave.weights import WEIGHTS

_OPTIMIZER = ("optimizer", "optimizer_weights")
_NAMES = 16  # parts of a name in a legacy file that are looked at


def inspect(path: str | os.PathLike[str], limits: Limits = DEFAULT) -> dict[str, Any]:
    """Describe a `.keras`, `.weights.h5`, `.weights.json`, `.h5`, `.npz` or `.safetensors` file.

    Args:
        path: the file.
        limits: bounds on what is read.

    Returns:
        `file`, `kind`, `bytes`, `keras_version`, `date_saved`, `model`, `compiled`, `optimizer`, `layers` (name,
        class, depth, path, parameters, bytes, dtypes, trainable), `weights` (path, name, shape, dtype, bytes),
        `parameters` and `optimizer_bytes`, `assets`.

    Raises:
        CorruptFileError, UnsafeFileError: see `ksave.load_model`.
    """
    with open_contents(path, limits, convert=False) as contents:
        return describe(contents)


def describe(contents: Contents) -> dict[str, Any]:
    """The description of an open file; see `inspect`."""
    found: dict[str, Any] = {"file": contents.path, "kind": _kind(contents), "bytes": contents.size}
    for key in ("keras_version", "date_saved"):
        if key in contents.metadata:
            found[key] = str(contents.metadata[key])
    if contents.config is not None:
        model = topology.read(contents.config)
        settings = contents.config.get("compile_config")
        found.update(model=model.class_name, compiled=bool(settings))
        optimizer = settings.get("optimizer") if isinstance(settings, dict) else None
        if optimizer:
            found["optimizer"] = str(optimizer.get("class_name") if isinstance(optimizer, dict) else optimizer)
        arrays = _by_owner(contents)
        found["layers"] = [_layer(depth, layer, _arrays_of(layer, contents, arrays)) for depth, layer in model.walk()]
    found["weights"] = [
        {
            "path": name,
            "name": _owner(name, contents),
            "shape": list(array.shape),
            "dtype": array.dtype,
            "bytes": array.nbytes,
        }
        for name, array in contents.arrays.items()
    ]
    own = {name: array for name, array in contents.arrays.items() if name.split("/")[0] not in _OPTIMIZER}
    found["parameters"] = sum(math.prod(array.shape) for array in own.values())
    found["optimizer_bytes"] = contents.nbytes() - sum(array.nbytes for array in own.values())
    found["assets"] = [ASSETS + name for name in contents.assets]
    return found


def _kind(contents: Contents) -> str:
    path = contents.path
    if contents.parts:
        return f"weights in {len(contents.parts)} files"
    if path.endswith((".npz", ".safetensors")):
        return path.rpartition(".")[2]
    if contents.legacy:
        return "legacy model" if contents.config is not None else "legacy weights"
    return "keras" if contents.config is not None else "weights"


def _owner(name: str, contents: Contents) -> str:
    if contents.legacy:
        return name.split("/")[0]
    return contents.names.get(name.rpartition("vars/")[0].rstrip("/"), "")


def _layer(depth: int, layer: topology.Layer, arrays: list[Array]) -> dict[str, Any]:
    # What an inner layer holds is counted there; legacy files do not say which that is.
    return {
        "name": layer.name,
        "class": layer.class_name,
        "depth": depth,
        "path": layer.path,
        "trainable": layer.trainable,
        "shapes": [list(array.shape) for array in arrays],
        "parameters": sum(math.prod(array.shape) for array in arrays),
        "bytes": sum(array.nbytes for array in arrays),
        "dtypes": sorted({array.dtype for array in arrays}),
    }


def _by_owner(contents: Contents) -> dict[str, list[Array]]:
    """The arrays by path of their layer; in legacy files by its name."""
    found: dict[str, list[Array]] = {}
    for name, array in contents.arrays.items():
        if contents.legacy:
            # Names of layers may have a "/" in them, so that each beginning can be one.
            parts = name.split("/")[:_NAMES]
            for end in range(1, len(parts)):
                found.setdefault("/".join(parts[:end]), []).append(array)
        else:
            head, mark, _ = f"/{name}".partition("/vars/")
            if mark:
                found.setdefault(head[1:], []).append(array)
    return found


def _arrays_of(layer: topology.Layer, contents: Contents, by_owner: dict[str, list[Array]]) -> list[Array]:
    """The arrays that a layer itself holds, without those of the layers in it."""
    owner = layer.path
    if contents.legacy:
        if layer.path.count("/") != 1 and layer.path:
            return []
        owner = layer.name if layer.path else legacy_layout.TOP
    return by_owner.get(owner, [])


def verify(
    path: str | os.PathLike[str], limits: Limits = DEFAULT, progress: Callable[[int], None] = lambda count: None
) -> list[str]:
    """Read all of a file and say what is wrong with it; an empty list when nothing is.

    Everything the loader checks is checked, all checksums are compared, and all arrays are read. Numbers that are
    not finite, classes that are neither public nor registered, and weights that do not fit the config are said, too.

    Args:
        path: the file.
        limits: bounds on what is read.
        progress: called with the bytes of each array when it was read.
    """
    problems: list[str] = []
    path = os.fspath(path)
    try:
        with remote.fetched(path) as local:
            if not os.path.exists(local):
                raise FileNotFoundError(f"There is no file {path}.")
            if sniff.kind_of(local) in ("zip", "folder") and not local.endswith(".npz"):
                with archive.open_archive(local, limits) as source:
                    for name in source.names():
                        if name not in (WEIGHTS, CONFIG, METADATA):
                            source.open(name).close()
            with open_contents(local, limits, convert=False) as contents:
                version = str(contents.metadata.get("keras_version", ""))
                if is_newer(version):
                    problems.append(f"written by Keras {version}, newer than {KERAS_VERSION}")
                problems += _bad_numbers(contents, progress)
                contents.verify()
                if contents.config is not None:
                    problems += _unknown_classes(contents.config)
                    problems += misfits(contents)
    except (ValueError, OSError) as error:
        problems.append(str(error))
    return problems


def _bad_numbers(contents: Contents, progress: Callable[[int], None]) -> Iterator[str]:
    import numpy

    for name, array in contents.arrays.items():
        values = array.read()
        progress(array.nbytes)
        if values.dtype.kind in "fcV" and values.dtype.names is None:
            if values.dtype.type is numpy.void:
                continue  # bytes without a dtype
            wide = values if values.dtype.kind in "fc" else values.astype("float32")
            count = int(values.size - numpy.isfinite(wide).sum())
            if count:
                yield f"{name}: {count} of {values.size} numbers are not finite"


def misfits(contents: Contents) -> Iterator[str]:
    """Where the weights are not those of the layers that the config lists, one line of text for each place."""
    model = topology.read(contents.config or {})
    if contents.legacy:
        try:
            layers: dict[str, dict[str, Array]] = {}
            for name, array in contents.arrays.items():
                owner, _, weight = name.partition("/")
                if owner not in _OPTIMIZER:
                    layers.setdefault(owner, {})[weight] = array
            legacy_layout.to_store(contents.config or {}, layers)
        except legacy_layout.UnknownOrderError:
            pass  # nothing is wrong; it just cannot be told here
        except ValueError as error:
            yield str(error)
        return
    nodes = contents.nodes()
    open_ended: set[str] = set()  # places below which anything can be
    for _, layer in model.walk():
        known = class_table.variables(layer.record)
        count = len(nodes.get(layer.path, ()))
        if known is None or not (layer.children or known):
            open_ended.add(layer.path)
        where = f"{layer.path or 'the model'} ({layer.name}, {layer.class_name})"
        if known and count != len(known):
            names = ", ".join(name for name, _ in known)
            yield f"{where}: {count} arrays in the file, the config asks for {len(known)} ({names})"
        elif known:
            sizes = class_table.last_sizes(layer.record)
            for (name, _), (key, array) in zip(known, nodes[layer.path].items()):
                if name in sizes and (not array.shape or array.shape[-1] != sizes[name]):
                    yield f"{where}: {name} ({key}) has shape {array.shape}, its last size should be {sizes[name]}"
        saved = contents.names.get(layer.path)
        if saved is not None and layer.name and saved != layer.name and layer.path:
            yield f"{where}: its weights are named {saved!r}"
    places = {layer.path for _, layer in model.walk()}
    if "" in open_ended:
        return
    for path, arrays in nodes.items():
        parts = path.split("/")
        inside = any("/".join(parts[:end]) in open_ended for end in range(1, len(parts)))
        if arrays and path not in places and not inside and path.split("/")[0] not in _OPTIMIZER:
            yield f"{path}: {len(arrays)} arrays, which belong to no layer of the config"


def _unknown_classes(config: Any) -> Iterator[str]:
    from ksave.registry import get_custom_objects

    public = kspec.known_names()
    if not any(name.startswith("keras.layers.") for name in public):
        return  # no layers are installed, so nothing can be said about names
    seen: set[str] = set()
    for record in _records(config):
        module, name, registered = (str(record.get(key)) for key in ("module", "class_name", "registered_name"))
        known = f"{module}.{name}" in public or module.startswith("keras.src") or module == "builtins"
        custom = registered if record.get("registered_name") else f"{module}.{name}"
        if not known and custom not in get_custom_objects() and custom not in seen:
            seen.add(custom)
            if module == "keras" or module.startswith("keras."):
                yield f"{custom} is in none of the installed libraries"
            else:
                yield f"custom class {custom}: register it, or pass custom_objects, to load the file"


def _records(config: Any) -> Iterator[dict[str, Any]]:
    if isinstance(config, dict):
        if "module" in config and "class_name" in config:
            yield config
        for value in config.values():
            yield from _records(value)
    elif isinstance(config, list):
        for value in config:
            yield from _records(value)


def as_json(found: Any) -> str:
    """The JSON text of a description."""
    return json.dumps(found, indent=2, ensure_ascii=False)
