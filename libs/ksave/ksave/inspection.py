"""What is in a file, without any framework: for the command line and for scripts."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Iterator

import kspec
from ksave import archive, checked_json, hdf5, sniff
from ksave.limits import DEFAULT, CorruptFileError, Limits
from ksave.models import ASSETS, CONFIG, KERAS_VERSION, METADATA
from ksave.stores import Reader
from ksave.weights import WEIGHTS


def inspect(path: str, limits: Limits = DEFAULT) -> dict[str, Any]:
    """Describe a `.keras`, `.weights.h5` or legacy `.h5` file.

    Args:
        path: the file.
        limits: bounds on what is read.

    Returns:
        `file`, `kind`, `bytes`, `keras_version`, `date_saved`, `layers` (name, class, depth),
        `compiled`, `weights` (path, name, shape, dtype, bytes), `parameters`, `assets`.

    Raises:
        CorruptFileError, UnsafeFileError: see `ksave.load_model`.
    """
    found: dict[str, Any] = {"file": path, "kind": "weights", "bytes": _size(path), "assets": []}
    if not os.path.exists(path):
        raise FileNotFoundError(f"There is no file {path}.")
    if path.endswith(".weights.json"):
        with Reader.open_shards(path, limits, text=True) as reader, hdf5.damage(path):
            found["kind"] = f"weights in {len(reader.files)} files"
            found["weights"] = [entry for file in reader.files for entry in _arrays(file)]
    elif sniff.kind_of(path) in ("zip", "folder"):
        with archive.open_archive(path, limits) as source:
            found["kind"] = "keras"
            found.update(_metadata(source))
            found.update(_topology(_config(source, limits)))
            found["assets"] = [name for name in source.names() if name.startswith(ASSETS)]
            with hdf5.open_checked(source.open(WEIGHTS), WEIGHTS, limits, text=True) as file:
                found["weights"] = list(_arrays(file))
    else:
        with hdf5.open_checked(path, path, limits, text=True) as file:
            text = file.attrs.get("model_config")
            if text is not None:
                found["kind"] = "legacy model"
                found["keras_version"] = str(file.attrs.get("keras_version", ""))
                found.update(_topology(checked_json.loads(text, "model_config", limits)))
            found["weights"] = list(_arrays(file))
    own = [entry for entry in found["weights"] if not entry["path"].startswith("optimizer")]
    found["parameters"] = sum(math.prod(entry["shape"]) for entry in own)
    return found


def verify(path: str, limits: Limits = DEFAULT) -> list[str]:
    """Read all of a file and say what is wrong with it; an empty list when nothing is.

    Everything the loader checks is checked, all checksums are compared, and all arrays are read. Not finite
    numbers and classes that are neither public nor registered are said, too.
    """
    problems: list[str] = []
    try:
        found = inspect(path, limits)
        if found["kind"] == "keras":
            with archive.open_archive(path, limits) as source:
                for name in source.names():
                    if name not in (WEIGHTS, CONFIG, METADATA):
                        source.open(name).close()
                problems += _unknown_classes(_config(source, limits))
                with hdf5.open_checked(source.open(WEIGHTS), WEIGHTS, limits) as file:
                    problems += _bad_numbers(file)
            if _newer(found.get("keras_version")):
                problems.append(f"written by Keras {found['keras_version']}, newer than {KERAS_VERSION}")
        elif path.endswith(".weights.json"):
            with Reader.open_shards(path, limits) as reader, hdf5.damage(path):
                problems += [problem for file in reader.files for problem in _bad_numbers(file)]
        else:
            with hdf5.open_checked(path, path, limits) as file, hdf5.damage(path):
                problems += _bad_numbers(file)
    except (ValueError, OSError) as error:
        problems.append(str(error))
    return problems


def _size(path: str) -> int:
    if not os.path.isdir(path):
        return os.path.getsize(path) if os.path.exists(path) else 0
    return sum(os.path.getsize(os.path.join(at, file)) for at, _, files in os.walk(path) for file in files)


def _metadata(source: Any) -> dict[str, Any]:
    if METADATA not in source.names():
        return {}
    data = checked_json.loads(source.read(METADATA), METADATA)
    return {key: str(data[key]) for key in ("keras_version", "date_saved") if key in data}


def _config(source: Any, limits: Limits) -> dict[str, Any]:
    config = checked_json.loads(source.read(CONFIG), CONFIG, limits)
    if not isinstance(config, dict):
        raise CorruptFileError(f"{source.path}: {CONFIG} describes no model.")
    return config


def _topology(config: dict[str, Any]) -> dict[str, Any]:
    layers = list(_layers(config, 0))
    return {"model": layers[0]["class"], "layers": layers, "compiled": bool(config.get("compile_config"))}


def _layers(record: Any, depth: int) -> Iterator[dict[str, Any]]:
    config = record.get("config") if isinstance(record.get("config"), dict) else {}
    name = str(config.get("name", record.get("name", "")))
    yield {"name": name, "class": str(record.get("class_name")), "depth": depth}
    inner = list(config.get("layers") or ()) + [config.get("layer"), config.get("backward_layer")]
    for layer in inner:
        if isinstance(layer, dict) and "class_name" in layer:
            yield from _layers(layer, depth + 1)


def _arrays(file: Any) -> Iterator[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def visit(name: str, item: Any) -> None:
        if hasattr(item, "shape"):
            dtype = str(item.attrs.get("dtype", item.dtype))
            owner = str(item.parent.attrs.get("name", ""))
            size = math.prod(item.shape) * item.dtype.itemsize
            found.append(
                {"path": name, "name": owner, "shape": list(item.shape), "dtype": dtype, "bytes": size}
            )

    with hdf5.damage(file.filename if isinstance(file.filename, str) else WEIGHTS):
        file.visititems(visit)
    yield from found


def _bad_numbers(file: Any) -> Iterator[str]:
    import numpy

    for entry in list(_arrays(file)):
        array = hdf5.read_array(file[entry["path"]])
        if array.dtype.kind in "fV" and array.dtype.name != "void":
            count = int(array.size - numpy.isfinite(array.astype("float32")).sum())
            if count and array.dtype.kind == "f":
                yield f"{entry['path']}: {count} of {array.size} numbers are not finite"


def _unknown_classes(config: Any) -> Iterator[str]:
    from ksave.registry import get_custom_objects

    public = kspec.known_names()
    if not any(name.startswith("keras.layers.") for name in public):
        return  # no layers are installed, so nothing can be said about names
    seen: set[str] = set()
    for record in _records(config):
        module, name, registered = (
            str(record.get(key)) for key in ("module", "class_name", "registered_name")
        )
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


def _newer(version: str | None) -> bool:
    from ksave.models import _numbers

    return bool(version) and _numbers(version or "") > _numbers(KERAS_VERSION)


def as_json(found: Any) -> str:
    """The JSON text of a description."""
    return json.dumps(found, indent=2, ensure_ascii=False)
