"""Writing and reading the weights of a whole model."""

from __future__ import annotations

import contextlib
import os
import warnings
from typing import Any, Iterable

from ksave import archive, hdf5, mismatch, remote
from ksave.atomic import atomic_file
from ksave.limits import visible
from ksave.overwrite import may_write
from ksave.saveables import walk
from ksave.stores import Reader, Writer
from kspec import public

WEIGHTS = "model.weights.h5"
WEIGHTS_NPZ = "model.weights.npz"
WEIGHTS_INDEX = "model.weights.json"


@public("keras.saving.save_weights")
def save_weights(
    model: Any, filepath: Any, overwrite: bool = True, max_shard_size: float | None = None, **kwargs: Any
) -> None:
    """Write all variables of a model to a `.weights.h5` file, or to one of another kind by its name.

    Args:
        model: a built model, or any object that is a node (see `kspec.protocols.Saveable`).
        filepath: a path that ends in `.weights.h5`, in `.weights.json` together with `max_shard_size`, in
            `.weights.npz`, or in `.h5` for the layout of Keras 1 and 2.
        overwrite: write over a file that is there; otherwise ask first.
        max_shard_size: gigabytes (of 1024**3 bytes); the weights are split into files of at most this size, or of
            one array, beside an index.

    Raises:
        ValueError: another ending, or the model has not been built.
        FileExistsError: the file is there and may not be overwritten.
    """
    if kwargs:
        raise TypeError(f"save_weights() has no argument {sorted(kwargs)[0]!r}.")
    path = os.fspath(filepath)
    _need_built(model)
    endings = (".weights.h5", ".weights.npz", ".h5") if max_shard_size is None else (".weights.json",)
    if not path.endswith(endings):
        raise ValueError(f"The file name must end in {endings[0]!r}, but is {path!r}.")
    if not may_write(path, overwrite):
        return
    if max_shard_size is not None:
        from ksave.shards import save_shards

        save_shards(lambda writer: write_nodes(model, writer), path, max_shard_size * 1024**3)
    elif path.endswith(".h5") and not path.endswith(".weights.h5"):
        from ksave import legacy_write

        legacy_write.save_weights(model, path)
    else:
        from ksave.npz import NpzWriter

        with atomic_file(path) as temporary:
            with NpzWriter(temporary) if path.endswith(".npz") else Writer(temporary) as writer:
                write_nodes(model, writer)


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
    if remote.is_remote(path):
        with remote.fetched(path) as local:
            load_weights(model, local, skip_mismatch, **kwargs)
        return
    skip = kwargs.pop("objects_to_skip", None) or ()
    by_name = kwargs.pop("by_name", False)
    if kwargs:
        raise TypeError(f"load_weights() has no argument {sorted(kwargs)[0]!r}.")
    if not os.path.exists(path):
        raise FileNotFoundError(f"There is no file {path}.")
    if _is_legacy(path):
        from ksave import legacy_h5

        legacy_h5.load_weights(model, path, by_name=by_name, skip_mismatch=skip_mismatch)
        return
    if by_name:
        raise ValueError(f"by_name=True reads legacy .h5 files only, not {path}.")
    _need_built(model)
    if os.path.isdir(path):
        from ksave import orbax_checkpoint

        if orbax_checkpoint.is_checkpoint(path):
            orbax_checkpoint.load_weights(model, path, skip_mismatch)
            return
    with contextlib.ExitStack() as stack:
        reader = _open_reader(path, stack)
        read_nodes(model, reader, path, skip_mismatch, skip)


def _is_legacy(path: str) -> bool:
    """Whether a file has the layout of Keras 1 and 2; Keras 2 gave it to `.weights.h5` files as well."""
    if not path.endswith(".weights.h5"):
        return path.endswith((".h5", ".hdf5"))
    with hdf5.open_checked(path, path) as file, hdf5.damage(path):
        return "layer_names" in file.attrs or "layer_names0" in file.attrs


def _open_reader(path: str, stack: contextlib.ExitStack) -> Reader:
    if path.endswith(".weights.json"):
        return stack.enter_context(Reader.open_shards(path))
    if path.endswith(".weights.h5"):
        return stack.enter_context(Reader.open(path))
    if path.endswith(".npz"):
        from ksave.npz import NpzReader

        return stack.enter_context(NpzReader(path))
    if path.endswith(".keras") or os.path.isdir(path):
        return stack.enter_context(archive_weights(stack.enter_context(archive.open_archive(path))))
    raise ValueError(
        "Weights are read from .weights.h5, .weights.json, .npz, .keras and legacy .h5 files, and from Orbax "
        f"checkpoints, not from {path}."
    )


def archive_weights(source: Any, text: bool = False, verified: bool = True) -> Reader:
    """The reader of the weights in an open `.keras` archive; see `ZipReader.open`."""
    names = source.names()
    if WEIGHTS not in names and WEIGHTS_INDEX in names:
        return Reader.open_shards(WEIGHTS_INDEX, source.limits, text, source)
    if WEIGHTS not in names and WEIGHTS_NPZ in names:
        from ksave.npz import NpzReader

        return NpzReader.inside(source, WEIGHTS_NPZ)
    return Reader.open(source.open(WEIGHTS, verified), f"{source.path}: {WEIGHTS}", source.limits, text)


def read_nodes(
    model: Any, reader: Reader, name: str, skip_mismatch: bool = False, skip: Iterable[Any] = (),
    before_3: bool = False,
) -> None:  # fmt: skip
    """Let every node of a model read its variables, then say all that did not fit at once.

    Args:
        model: the root of the nodes.
        reader: of the weights.
        name: the file, for messages.
        skip_mismatch: only warn of what does not fit.
        skip: nodes that keep their values.
        before_3: tf.keras wrote the file.
    """
    skipped = {id(node) for node in skip}
    reached: set[str] = set()
    failures: list[mismatch.Failure] = []
    for path, node in walk(model):
        place = _place(path, reader)
        reached.add(place)
        is_optimizer = path.split("/")[-1] == "optimizer"
        if id(node) in skipped:
            continue
        if (is_optimizer or getattr(node, "optional_in_files", False)) and place not in reader:
            continue  # saved before it was compiled, or by Keras, which does not keep all
        with hdf5.damage(name):
            store = reader.store(place)
        try:
            node.load_own_variables(_with_rate(node, store) if before_3 and is_optimizer else store)
        except Exception as error:
            failures.append(mismatch.Failure(path, node, store, error))
    reader.verify()
    left = {path: shapes for path, shapes in reader.paths().items() if shapes and path not in reached}
    if failures:
        report = mismatch.report(name, failures, left)
        if not skip_mismatch:
            raise mismatch.MismatchError(report) from failures[0].error
        warnings.warn(f"Skipped what does not fit. {visible(report)}", stacklevel=3)
    elif any(not _OF_TRAINING & {*path.split("/")} for path in left):
        warnings.warn(f"{name} has weights that the model has no place for: {', '.join(left)}.", stacklevel=3)


# What may stand in a file and not be loaded: tf.keras kept the state of metrics, too.
_OF_TRAINING = {"optimizer", "metrics"}


def _place(path: str, reader: Reader) -> str:
    """Where a node stands in the file. tf.keras kept the underscore of private attributes: `_key_dense`."""
    parent, _, last = path.rpartition("/")
    private = f"{parent}/_{last}" if parent else f"_{last}"
    return private if path not in reader and private in reader else path


def _with_rate(node: Any, store: Any) -> Any:
    """The state of an optimizer of tf.keras, which did not store its learning rate, number 1 today."""
    own: dict[str, Any] = {}
    node.save_own_variables(own)
    if len(own) != len(store) + 1:
        return store
    values = [store["0"], own["1"], *(store[str(index)] for index in range(1, len(store)))]
    return {str(index): value for index, value in enumerate(values)}


def _need_built(model: Any) -> None:
    if not getattr(model, "built", True):
        raise ValueError("The model has not been built, so it has no variables yet. Call it on data, or use build().")
