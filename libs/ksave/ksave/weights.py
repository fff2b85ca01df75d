"""Writing and reading the weights of a whole model."""

from __future__ import annotations

import contextlib
import json
import os
import warnings
from typing import Any, Iterable

from ksave import archive, hdf5, mismatch
from ksave.atomic import atomic_file, atomic_folder
from ksave.limits import CorruptFileError
from ksave.overwrite import may_write
from ksave.saveables import walk
from ksave.stores import Reader, ShardWriter, Writer
from kspec import public

WEIGHTS = "model.weights.h5"
WEIGHTS_INDEX = "model.weights.json"


@public("keras.saving.save_weights")
def save_weights(
    model: Any, filepath: Any, overwrite: bool = True, max_shard_size: float | None = None, **kwargs: Any
) -> None:
    """Write all variables of a model to a `.weights.h5` file.

    Args:
        model: a built model, or any object that is a node (see `kspec.protocols.Saveable`).
        filepath: a path that ends in `.weights.h5`, or `.weights.json` together with `max_shard_size`.
        overwrite: write over a file that is there; otherwise ask first.
        max_shard_size: gigabytes; the weights are split into files of about this size beside an index.

    Raises:
        ValueError: another ending, or the model has not been built.
        FileExistsError: the file is there and may not be overwritten.
    """
    if kwargs:
        raise TypeError(f"save_weights() has no argument {sorted(kwargs)[0]!r}.")
    path = os.fspath(filepath)
    _need_built(model)
    ending = ".weights.h5" if max_shard_size is None else ".weights.json"
    if not path.endswith(ending):
        raise ValueError(f"The file name must end in {ending!r}, but is {path!r}.")
    if not may_write(path, overwrite):
        return
    if max_shard_size is None:
        with atomic_file(path) as temporary:
            writer = Writer(temporary)
            try:
                write_nodes(model, writer)
            finally:
                writer.close()
    else:
        _save_shards(model, path, max_shard_size)


def _save_shards(model: Any, path: str, gigabytes: float) -> None:
    stem = path[: -len(".weights.json")]
    # All is written to a folder aside first; the index takes its name last.
    with atomic_folder(f"{path}.tmp") as folder:
        writer = ShardWriter(os.path.join(folder, os.path.basename(stem)), gigabytes * 1e9)
        try:
            write_nodes(model, writer)
        finally:
            writer.close()
    try:
        for name in (os.path.basename(file) for file in writer.files):
            os.replace(os.path.join(f"{path}.tmp", name), os.path.join(os.path.dirname(path), name))
    finally:
        import shutil

        shutil.rmtree(f"{path}.tmp")
    index = {"metadata": {"total_size": float(writer.total)}, "weight_map": writer.map}
    with atomic_file(path) as temporary, open(temporary, "w") as file:
        json.dump(index, file, indent=4)


def write_nodes(model: Any, writer: Writer) -> None:
    """Let every node of a model write its variables."""
    for path, node in walk(model):
        node.save_own_variables(writer.store(path, getattr(node, "name", None)))


@public("keras.saving.load_weights")
def load_weights(model: Any, filepath: Any, skip_mismatch: bool = False, **kwargs: Any) -> None:
    """Read all variables of a model from a file.

    Args:
        model: a built model of the same structure as the one that was saved.
        filepath: `.weights.h5`, `.weights.json` (an index of shards), `.keras`, or a legacy `.h5` file.
        skip_mismatch: warn about nodes that do not fit, and leave them as they are.
        **kwargs: `objects_to_skip`, nodes that keep their values; `by_name` for legacy files.

    Raises:
        ValueError: the file does not fit the model; the message has a table of what is missing, what is
            left over and which shapes differ, with the nearest names.

    Example:
        >>> load_weights(model, "digits.weights.h5")
    """
    path = os.fspath(filepath)
    skip = kwargs.pop("objects_to_skip", None) or ()
    by_name = kwargs.pop("by_name", False)
    if kwargs:
        raise TypeError(f"load_weights() has no argument {sorted(kwargs)[0]!r}.")
    if not os.path.exists(path):
        raise FileNotFoundError(f"There is no file {path}.")
    if path.endswith(".h5") and not path.endswith(".weights.h5"):
        from ksave import legacy_h5

        legacy_h5.load_weights(model, path, by_name=by_name, skip_mismatch=skip_mismatch)
        return
    if by_name:
        raise ValueError(f"by_name=True reads legacy .h5 files only, not {path}.")
    _need_built(model)
    with contextlib.ExitStack() as stack:
        if path.endswith(".weights.json"):
            reader = stack.enter_context(Reader.open_shards(path))
        elif path.endswith(".keras"):
            reader = stack.enter_context(archive_weights(stack.enter_context(archive.open_archive(path))))
        elif path.endswith(".weights.h5"):
            reader = stack.enter_context(Reader.open(path))
        else:
            raise ValueError(
                f"Weights are read from .weights.h5, .weights.json, .keras and legacy .h5 files, not {path}."
            )
        read_nodes(model, reader, path, skip_mismatch, skip)


def archive_weights(source: Any, text: bool = False) -> Reader:
    """The reader of the weights in an open `.keras` archive."""
    if WEIGHTS_INDEX in source.names():
        raise CorruptFileError(f"{source.path} holds sharded weights, which are not read from archives yet.")
    return Reader.open(source.open(WEIGHTS), f"{source.path}: {WEIGHTS}", source.limits, text)


def read_nodes(
    model: Any, reader: Reader, name: str, skip_mismatch: bool = False, skip: Iterable[Any] = ()
) -> None:
    """Let every node of a model read its variables, then say all that did not fit at once."""
    skipped = {id(node) for node in skip}
    reached: set[str] = set()
    failures: list[mismatch.Failure] = []
    for path, node in walk(model):
        reached.add(path)
        if id(node) in skipped:
            continue
        if path.split("/")[-1] == "optimizer" and path not in reader:
            continue  # saved before it was compiled; the optimizer starts afresh
        with hdf5.damage(name):
            store = reader.store(path)
        try:
            node.load_own_variables(store)
        except Exception as error:
            failures.append(mismatch.Failure(path, node, store, error))
    with hdf5.damage(name):
        left = {path: shapes for path, shapes in reader.paths().items() if shapes and path not in reached}
    if failures:
        report = mismatch.report(name, failures, left)
        if not skip_mismatch:
            raise ValueError(report) from failures[0].error
        warnings.warn(f"Skipped what does not fit. {report}", stacklevel=3)
    elif any("optimizer" not in path.split("/") for path in left):
        warnings.warn(f"{name} has weights that the model has no place for: {', '.join(left)}.", stacklevel=3)


def _need_built(model: Any) -> None:
    if not getattr(model, "built", True):
        raise ValueError(
            "The model has not been built, so it has no variables yet. Call it on data, or use build()."
        )
