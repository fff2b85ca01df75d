"""Saving a whole model to a `.keras` file and making it again."""

from __future__ import annotations

import datetime
import functools
import json
import os
import shutil
import tempfile
import zipfile
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Tuple

from ksave import archive, checked_json, remote, sniff, versions
from ksave.atomic import atomic_file, atomic_folder
from ksave.deserialize import Loader, _Defaults
from ksave.limits import DEFAULT, CorruptFileError
from ksave.overwrite import may_write
from ksave.saveables import is_node, walk
from ksave.serialize import object_sharing, serialize_keras_object
from ksave.stored_member import stored_member
from ksave.stores import Writer
from ksave.versions import KERAS_VERSION
from ksave.weights import WEIGHTS, archive_weights, read_nodes, write_nodes
from kspec import public

CONFIG = "config.json"
METADATA = "metadata.json"
ASSETS = "assets/"
Asset = Tuple[str, Callable[[], BinaryIO]]


@public("keras.models.save_model", "keras.saving.save_model")
def save_model(model: Any, filepath: Any, overwrite: bool = True, zipped: bool | None = None, **kwargs: Any) -> None:
    """Write a model, its weights and its training state to a `.keras` file, or to a legacy `.h5` file.

    The file is complete or not there at all: it gets its name only when all of it is written.

    Args:
        model: the model.
        filepath: a path that ends in `.keras`, or in `.h5` or `.hdf5` for the layout of Keras 1 and 2, which has
            no assets and no state of seed generators and metrics.
        overwrite: write over a file that is there; otherwise ask first.
        zipped: False writes a folder, whose name has no ending, instead of a zip file.

    Raises:
        ValueError: another ending.
        FileExistsError: the file is there and may not be overwritten.

    Example:
        >>> save_model(model, "digits.keras")
    """
    if kwargs:
        raise TypeError(f"save_model() has no argument {sorted(kwargs)[0]!r}.")
    path = os.fspath(filepath)
    if path.endswith((".h5", ".hdf5")):
        from ksave import legacy_write

        if zipped:
            raise ValueError(f"{path} is an HDF5 file and cannot be a zip file; leave zipped out.")
        legacy_write.save_model(model, path, overwrite)
        return
    if zipped is False and path.endswith(".keras"):
        raise ValueError(
            f"With zipped=False a folder is written, whose name must not end in '.keras', as {path!r} does: "
            "Keras takes such a name for a zip file."
        )
    if zipped is not False and not path.endswith(".keras"):
        raise ValueError(
            f"A model is saved to a file whose name ends in '.keras' (or '.h5'), not to {path!r}. To save weights "
            "alone use save_weights(), for other runtimes export(), for a folder zipped=False."
        )
    if not may_write(path, overwrite):
        return
    with object_sharing() as sharing:
        config = sharing.prune(serialize_keras_object(model))
    now = datetime.datetime.now()
    metadata = {"keras_version": KERAS_VERSION, "date_saved": now.strftime("%Y-%m-%d@%H:%M:%S")}
    texts = {METADATA: json.dumps(metadata), CONFIG: json.dumps(config)}
    with tempfile.TemporaryDirectory() as assets:
        write_files(path, zipped is not False, texts, lambda writer: write_nodes(model, writer), _assets(model, assets))


def write_files(
    path: str, zipped: bool, texts: dict[str, str], fill: Callable[[Writer], None], assets: Iterable[Asset]
) -> None:
    """Write what a `.keras` file or folder consists of.

    Args:
        path: the file or folder, which is whole or not there.
        zipped: a zip file, not a folder.
        texts: by name, the config and the metadata.
        fill: writes the weights.
        assets: names below `assets/` and how to open them; asked for after the weights are written.
    """
    if zipped:
        with atomic_file(path) as temporary, zipfile.ZipFile(temporary, "w") as target:
            for name, text in texts.items():
                target.writestr(name, text)
            with stored_member(target, WEIGHTS) as member, Writer(member) as writer:
                fill(writer)
            for name, open_asset in assets:
                with open_asset() as source, target.open(ASSETS + name, "w", force_zip64=True) as inside:
                    shutil.copyfileobj(source, inside)
        return
    with atomic_folder(path) as folder:
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        with Writer(os.path.join(folder, WEIGHTS)) as writer:
            fill(writer)
        os.mkdir(os.path.join(folder, "assets"))
        for name, open_asset in assets:
            full = os.path.join(folder, ASSETS, *name.split("/"))
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open_asset() as source, open(full, "wb") as asset:
                shutil.copyfileobj(source, asset)


def _assets(model: Any, root: str) -> Iterator[tuple[str, Any]]:
    write_assets(model, root)
    for name in assets_in(root):
        yield name, functools.partial(open, os.path.join(root, name), "rb")


def assets_in(root: str) -> list[str]:
    """The names of all files below a folder, with slashes."""
    found = [os.path.join(at, file) for at, _, files in sorted(os.walk(root)) for file in sorted(files)]
    return [os.path.relpath(full, root).replace(os.sep, "/") for full in found]


def write_assets(model: Any, root: str) -> None:
    """Let every node of a model write its files to folders below `root` named by the nodes' paths."""
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
        filepath: a `.keras` file, a folder that `zipped=False` wrote, a legacy `.h5` file of a whole model, or
            the folder of an Orbax checkpoint, whose latest step is read.
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
    if remote.is_remote(path):
        with remote.fetched(path) as local:
            return load_model(local, custom_objects, compile, safe_mode)
    loader = Loader(dict(custom_objects or {}), safe_mode and not _Defaults.unsafe)
    if not os.path.exists(path):
        raise FileNotFoundError(f"There is no file {path}.")
    if path.endswith((".h5", ".hdf5")):
        from ksave import legacy_h5

        return legacy_h5.load_model(path, loader, compile)
    if os.path.isdir(path):
        from ksave import orbax_checkpoint

        if orbax_checkpoint.is_checkpoint(path):
            return orbax_checkpoint.load_model(path, loader, compile)
    if not path.endswith(".keras") and not _is_model_folder(path):
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
        version = file_version(source)
        loader.before_3, loader.newer = versions.is_before_3(version), versions.is_newer(version)
        loader.legacy = loader.before_3
        with archive_weights(source, verified=False) as reader:  # read_nodes does, in passing
            loader.budget = {"left": loader.limits.variable_bytes(reader.nbytes())}
            loader.waiting = []
            with versions.explained(version):
                model = loader.deserialize(config)
            if not is_node(model):
                raise CorruptFileError(f"{path}: {CONFIG} describes no model.")
            read_nodes(model, reader, path, before_3=loader.before_3)
            loader.finish()
        _load_assets(model, source)
    versions.announce(path, version, loader.notes)
    return model


def _is_model_folder(path: str) -> bool:
    return os.path.isfile(os.path.join(path, CONFIG))


def _load_assets(model: Any, source: Any) -> None:
    if not any(name.startswith(ASSETS) for name in source.names()):
        return
    with tempfile.TemporaryDirectory() as root:
        source.extract(ASSETS, root)
        read_assets(model, root)


def read_assets(model: Any, root: str) -> None:
    """Let every node of a model read its files, which are in folders below `root` named by the nodes' paths."""
    for path, node in walk(model):
        folder = os.path.join(root, *path.split("/"))
        if hasattr(node, "load_assets") and os.path.isdir(folder):
            node.load_assets(folder)


def file_version(source: Any) -> str | None:
    """The version of Keras that wrote an open archive, or None when it does not say."""
    if METADATA not in source.names():
        return None
    metadata = checked_json.loads(source.read(METADATA), METADATA, DEFAULT)
    version = metadata.get("keras_version") if isinstance(metadata, dict) else None
    return version if isinstance(version, str) else None
