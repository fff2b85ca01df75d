"""Orbax checkpoints, as the callback `OrbaxCheckpoint` writes them: a folder with one checkpoint for each step.

A checkpoint holds the variables by their paths, in four groups, and for whole models also the config and the assets.
Orbax is imported only where it is used.
"""

from __future__ import annotations

import importlib
import json
import os
import tempfile
import warnings
from typing import Any

import numpy as np

from ksave import archive, checked_json, hdf5
from ksave.limits import DEFAULT, CorruptFileError, Limits, UnsafeFileError
from ksave.serialize import object_sharing, serialize_keras_object
from ksave.state_tree import GROUPS, assign_state, flatten, nest, state_tree

_METADATA = "_CHECKPOINT_METADATA"
_TREE_METADATA = "_METADATA"
_PLAIN_VALUES = {"jax.Array", "np.ndarray", "scalar", "string", "Dict", "None"}  # of which Dict is an empty one


def orbax() -> Any:
    """The interface of Orbax, version 1.

    Raises:
        ImportError: it is not installed.
    """
    try:
        return importlib.import_module("orbax.checkpoint.experimental.v1")
    except ImportError as error:
        raise ImportError(
            f"Orbax checkpoints need the package orbax-checkpoint: pip install orbax-checkpoint ({error})"
        ) from error


def is_checkpoint(path: str) -> bool:
    """Whether a path is the folder of a checkpoint, or of checkpoints by step."""
    return os.path.isdir(path) and (os.path.isfile(os.path.join(path, _METADATA)) or bool(_steps(path)))


def _steps(path: str) -> list[int]:
    names = [name for name in os.listdir(path) if name.isdigit()]
    return sorted(int(name) for name in names if os.path.isfile(os.path.join(path, name, _METADATA)))


def _one(path: str) -> str:
    """The folder of one checkpoint: the path itself, or that of its latest step."""
    path = os.path.abspath(path)
    return path if os.path.isfile(os.path.join(path, _METADATA)) else os.path.join(path, str(_steps(path)[-1]))


def load_model(path: str, loader: Any, compile: bool = True) -> Any:
    """Make the model of a checkpoint; see `ksave.load_model`."""
    items = _read(path, ("pytree", "model_config", "assets"), loader.limits)
    text = items.get("model_config", {}).get("config")
    if not isinstance(text, str):
        raise ValueError(
            f"{path} holds no config of a model, as it was saved with save_weights_only=True. "
            "Make the model and call load_weights()."
        )
    config = checked_json.loads(text.encode("utf-8"), f"{path}: model_config", loader.limits)
    if not isinstance(config, dict) or "class_name" not in config:
        raise CorruptFileError(f"{path}: model_config describes no model.")
    if not compile:
        config.pop("compile_config", None)
    state = items["pytree"]
    loader.budget = {"left": loader.limits.variable_bytes(sum(value.nbytes for _, value in flatten(state)))}
    loader.waiting = []
    model = loader.deserialize(config)
    assign_state(model, state, path)
    loader.finish()
    _load_assets(model, items.get("assets", {}))
    return model


def load_weights(model: Any, path: str, skip_mismatch: bool = False) -> None:
    """Read the variables of a checkpoint into a built model; see `ksave.load_weights`."""
    assign_state(model, _read(path, ("pytree",), DEFAULT)["pytree"], path, skip_mismatch)


def items_of(model: Any, weights_only: bool = False) -> dict[str, Any]:
    """What a checkpoint of a model holds, as NumPy arrays and text.

    Args:
        model: a built model.
        weights_only: neither the config and the assets nor the state of training.
    """
    tree = state_tree(model)
    if weights_only:
        return {"pytree": {group: tree[group] for group in GROUPS[:2]}}
    with object_sharing() as sharing:
        config = sharing.prune(serialize_keras_object(model))
    items: dict[str, Any] = {"pytree": tree, "model_config": {"config": json.dumps(config)}}
    assets = _assets(model)
    if assets:
        items["assets"] = assets
    return items


class Checkpoints:
    """Writes the checkpoints of one training run to a folder.

    Args:
        directory: the folder; made when it is not there.
        max_to_keep: older ones are deleted; None keeps all.

    Example:
        >>> checkpoints = Checkpoints("run", max_to_keep=3)
        >>> checkpoints.save(model, step=100)
        >>> checkpoints.close()
    """

    def __init__(self, directory: Any, max_to_keep: int | None = 1) -> None:
        v1 = orbax()
        self.directory = os.path.abspath(os.fspath(directory))
        policies = v1.training.preservation_policies
        keep = policies.PreserveAll() if max_to_keep is None else policies.LatestN(max_to_keep)
        self._checkpointer = v1.training.Checkpointer(self.directory, preservation_policy=keep)
        self._pending: list[Any] = []

    def save(self, model: Any, step: int, weights_only: bool = False, background: bool = False) -> None:
        """Write one checkpoint.

        Args:
            model: a built model.
            step: the name of the checkpoint; it must be new.
            weights_only: only what `load_weights` needs.
            background: come back as soon as the values are copied; `wait` waits for the files.

        Raises:
            FileExistsError: there is a checkpoint of this step.
        """
        if os.path.exists(os.path.join(self.directory, str(step))):
            raise FileExistsError(
                f"{self.directory} has a checkpoint {step} already. Train to another directory, or go on from where "
                "that one ended (initial_epoch in fit)."
            )
        items = items_of(model, weights_only)
        self.wait()  # Orbax leaves out a checkpoint while another is being written
        if background:
            self._pending.append(self._checkpointer.save_checkpointables_async(step, items, force=True))
        else:
            self._checkpointer.save_checkpointables(step, items, force=True)

    def wait(self) -> None:
        """Come back when all is on disk; an error while writing is raised here."""
        while self._pending:
            self._pending.pop(0).result()

    @staticmethod
    def hosts() -> int:
        """How many processes write checkpoints together."""
        return orbax().multihost.process_count()

    @staticmethod
    def is_primary_host() -> bool:
        """Whether this is the first of them."""
        return orbax().multihost.process_index() == 0

    def close(self) -> None:
        """Wait, and let go of the folder."""
        try:
            self.wait()
        finally:
            self._checkpointer.close()


def _read(path: str, wanted: tuple[str, ...], limits: Limits) -> dict[str, Any]:
    folder = _one(path)
    reader = archive.FolderReader(folder, limits)  # refuses links to other places
    present = [name for name in wanted if os.path.isdir(os.path.join(folder, name))]
    if "pytree" not in present:
        raise CorruptFileError(f"{path} is an Orbax checkpoint, but not of a Keras model: it has no 'pytree'.")
    for name in present:
        _check(reader, f"{name}/{_TREE_METADATA}", limits)
    v1 = orbax()
    try:
        metadata = v1.checkpointables_metadata(folder).metadata
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that nothing is sharded
            wanted_as = {name: _as_numpy(metadata[name]) for name in present}
            declared = sum(getattr(value, "nbytes", 0) for _, value in flatten(wanted_as))
            archive.check_ratio(declared, sum(map(reader.size, reader.names())), path, limits)
            return v1.load_checkpointables(folder, wanted_as)
    except UnsafeFileError:
        raise
    except (ValueError, KeyError, OSError) as error:
        raise CorruptFileError(f"{path} is a damaged Orbax checkpoint ({error}).") from error


def _check(reader: Any, name: str, limits: Limits) -> None:
    """Refuse trees of other things than arrays and text in dictionaries, before Orbax looks at them."""
    where = f"{reader.path}: {name}"
    table = checked_json.loads(reader.read(name), where, limits)
    tree = table.get("tree_metadata") if isinstance(table, dict) else None
    if not isinstance(tree, dict):
        raise CorruptFileError(f"{where} describes no tree.")
    total = 0
    for entry in tree.values():
        value = entry.get("value_metadata", {}) if isinstance(entry, dict) else {}
        if value.get("value_type") not in _PLAIN_VALUES:
            raise UnsafeFileError(
                f"{where}: {value.get('value_type')!r} is neither an array nor text. Checkpoints of Keras models "
                "hold nothing else."
            )
        total += 1
    if total > limits.hdf5_objects:
        raise UnsafeFileError(f"{where} has more than {limits.hdf5_objects} entries.")


def _as_numpy(node: Any) -> Any:
    """What to restore each entry as: arrays of NumPy, wherever and however they were made."""
    if isinstance(node, dict):
        return {key: _as_numpy(value) for key, value in node.items()}
    if hasattr(node, "shape") and hasattr(node, "dtype"):
        return np.broadcast_to(np.zeros((), node.dtype), node.shape)
    return node


def _assets(model: Any) -> dict[str, Any]:
    from ksave.models import assets_in, write_assets

    with tempfile.TemporaryDirectory() as root:
        write_assets(model, root)
        return nest((name, np.fromfile(os.path.join(root, name), np.uint8)) for name in assets_in(root))


def _load_assets(model: Any, assets: dict[str, Any]) -> None:
    from ksave.models import read_assets

    if not assets:
        return
    with tempfile.TemporaryDirectory() as root:
        for name, content in flatten(assets):
            archive.check_name(name, "The checkpoint")
            target = os.path.join(root, *name.split("/"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            hdf5.to_numpy(content).astype(np.uint8).tofile(target)
        read_assets(model, root)
