"""Saving a whole model to a `.keras` file and making it again."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import tempfile
import zipfile
from typing import Any, Iterator

from ksave import archive, checked_json, sniff
from ksave.atomic import atomic_file, atomic_folder
from ksave.deserialize import Loader, _Defaults
from ksave.limits import DEFAULT, CorruptFileError
from ksave.overwrite import may_write
from ksave.saveables import walk
from ksave.serialize import object_sharing, serialize_keras_object
from ksave.stored_member import stored_member
from ksave.stores import Writer
from ksave.weights import WEIGHTS, archive_weights, read_nodes, write_nodes
from kspec import public

# The version of the Keras format that is written, and up to which files are known.
KERAS_VERSION = "3.15.2"
CONFIG = "config.json"
METADATA = "metadata.json"
ASSETS = "assets/"


@public("keras.models.save_model", "keras.saving.save_model")
def save_model(
    model: Any, filepath: Any, overwrite: bool = True, zipped: bool | None = None, **kwargs: Any
) -> None:
    """Write a model, its weights and its training state to a `.keras` file.

    The file is complete or not there at all: it gets its name only when all of it is written.

    Args:
        model: the model.
        filepath: a path that ends in `.keras`.
        overwrite: write over a file that is there; otherwise ask first.
        zipped: False writes a folder of that name instead of a zip file.

    Raises:
        ValueError: another ending.
        FileExistsError: the file is there and may not be overwritten.

    Example:
        >>> save_model(model, "digits.keras")
    """
    if kwargs:
        raise TypeError(f"save_model() has no argument {sorted(kwargs)[0]!r}.")
    path = os.fspath(filepath)
    if path.endswith(".h5"):
        from ksave import legacy_h5

        legacy_h5.save_model(model, path, overwrite)
        return
    if not path.endswith(".keras"):
        raise ValueError(
            f"A model is saved to a file whose name ends in '.keras', not to {path!r}. "
            "To save weights alone use save_weights(); for other runtimes use export()."
        )
    if not may_write(path, overwrite):
        return
    with object_sharing() as sharing:
        config = sharing.prune(serialize_keras_object(model))
    now = datetime.datetime.now()
    metadata = {"keras_version": KERAS_VERSION, "date_saved": now.strftime("%Y-%m-%d@%H:%M:%S")}
    texts = {METADATA: json.dumps(metadata), CONFIG: json.dumps(config)}
    if zipped is False:
        _write_folder(model, path, texts)
    else:
        _write_zip(model, path, texts)


def _write_folder(model: Any, path: str, texts: dict[str, str]) -> None:
    with atomic_folder(path) as folder:
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        writer = Writer(os.path.join(folder, WEIGHTS))
        try:
            write_nodes(model, writer)
        finally:
            writer.close()
        assets = os.path.join(folder, "assets")
        os.mkdir(assets)
        _write_assets(model, assets)


def _write_zip(model: Any, path: str, texts: dict[str, str]) -> None:
    with atomic_file(path) as temporary, tempfile.TemporaryDirectory() as assets:
        with zipfile.ZipFile(temporary, "w") as target:
            for name, text in texts.items():
                target.writestr(name, text)
            with stored_member(target, WEIGHTS) as member:
                writer = Writer(member)
                try:
                    write_nodes(model, writer)
                finally:
                    writer.close()
            _write_assets(model, assets)
            for folder, _, files in sorted(os.walk(assets)):
                for file in sorted(files):
                    full = os.path.join(folder, file)
                    target.write(full, ASSETS + os.path.relpath(full, assets).replace(os.sep, "/"))


def _write_assets(model: Any, root: str) -> None:
    for path, node in walk(model):
        if hasattr(node, "save_assets"):
            folder = os.path.join(root, *path.split("/"))
            os.makedirs(folder, exist_ok=True)
            node.save_assets(folder)
    for folder, _, _ in sorted(os.walk(root), reverse=True):
        if folder != root and not os.listdir(folder):
            os.rmdir(folder)


@public("keras.models.load_model", "keras.saving.load_model")
def load_model(
    filepath: Any, custom_objects: dict[str, Any] | None = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """Make the model that a `.keras` file holds.

    Args:
        filepath: a `.keras` file or folder, or a legacy `.h5` file of a whole model.
        custom_objects: names in the file to classes and functions.
        compile: compile the model as it was when it was saved, if it was.
        safe_mode: refuse files that hold code (lambdas, SavedModels, pickles).

    Returns:
        The model, with its weights and, when compiled, the state of its optimizer.

    Raises:
        FileNotFoundError: no such file.
        CorruptFileError: (a ValueError) another kind of file, damaged or truncated.
        UnsafeFileError: (a ValueError) the file asks for something that is refused.
        UnknownObjectError: (a TypeError) a class or function that is neither public nor registered.

    Example:
        >>> model = load_model("digits.keras")
    """
    path = os.fspath(filepath)
    loader = Loader(dict(custom_objects or {}), safe_mode and not _Defaults.unsafe)
    if not os.path.exists(path):
        raise FileNotFoundError(f"There is no file {path}.")
    if path.endswith((".h5", ".hdf5")):
        from ksave import legacy_h5

        return legacy_h5.load_model(path, loader, compile)
    if not path.endswith(".keras"):
        raise ValueError(
            f"Models are loaded from .keras files and legacy .h5 files. {path} is a {sniff.kind_of(path)}"
            + (
                "; use keras.layers.TFSMLayer to run it."
                if "SavedModel" in sniff.kind_of(path)
                else "; if it is a model, rename it to end in .keras (zip) or .h5 (hdf5)."
            )
        )
    with archive.open_archive(path, loader.limits) as source:
        config = checked_json.loads(source.read(CONFIG), f"{path}: {CONFIG}", loader.limits)
        if not isinstance(config, dict) or "class_name" not in config:
            raise CorruptFileError(f"{path}: {CONFIG} describes no model.")
        if not compile:
            config.pop("compile_config", None)
        with archive_weights(source, verified=False) as reader:  # read_nodes does, in passing
            loader.budget = {"left": loader.limits.variable_bytes(reader.nbytes())}
            loader.waiting = []
            with _version_in_errors(source):
                model = loader.deserialize(config)
            read_nodes(model, reader, path)
            loader.finish()
        _load_assets(model, source)
    return model


def _load_assets(model: Any, source: Any) -> None:
    if not any(name.startswith(ASSETS) for name in source.names()):
        return
    with tempfile.TemporaryDirectory() as root:
        source.extract(ASSETS, root)
        for path, node in walk(model):
            folder = os.path.join(root, *path.split("/"))
            if hasattr(node, "load_assets") and os.path.isdir(folder):
                node.load_assets(folder)


@contextlib.contextmanager
def _version_in_errors(source: Any) -> Iterator[None]:
    """A file of a newer version is tried; when that fails, its version is part of the explanation."""
    try:
        yield
    except Exception as error:
        version = file_version(source)
        if version and _numbers(version) > _numbers(KERAS_VERSION):
            error.args = (
                f"{error}\n(The file was written by Keras {version}, newer than {KERAS_VERSION}, up to which "
                "files are known here.)",
            )
        raise


def file_version(source: Any) -> str | None:
    """The version of Keras that wrote an open archive, or None when it does not say."""
    if METADATA not in source.names():
        return None
    metadata = checked_json.loads(source.read(METADATA), METADATA, DEFAULT)
    version = metadata.get("keras_version") if isinstance(metadata, dict) else None
    return version if isinstance(version, str) else None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
