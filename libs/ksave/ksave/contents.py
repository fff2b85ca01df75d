"""All of a model or weights file, opened to be looked through, changed and written again in any format.

Arrays stay in the file until they are read, one at a time. They are named as `.weights.h5` files name them:
`layers/dense/vars/0`. Only legacy weights without a config keep their own names (`legacy` is then true), since
what the names would be in the other layout depends on the classes of the layers.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
from typing import Any, BinaryIO, Callable, Iterator, NamedTuple

from ksave import archive, checked_json, hdf5, legacy_layout, remote, sniff
from ksave.limits import DEFAULT, CorruptFileError, Limits
from ksave.models import ASSETS, CONFIG, METADATA
from ksave.safetensors import SafetensorsReader
from ksave.stores import Reader
from ksave.weights import archive_weights


class Array(NamedTuple):
    """An array in a file: what it is, and how to read it."""

    shape: tuple[int, ...]
    dtype: str
    nbytes: int
    read: Callable[[], Any]


@dataclasses.dataclass
class Contents:
    """What a file holds.

    Args:
        path: the file.
        kind: `"model"`, `"weights"` or `"arrays"` (plain arrays, whose names may be those of weights).
        config: the record of the model as `.keras` files have it, or None.
        metadata: version and date, where the file has them.
        arrays: by full name, in the order of the file.
        names: the names that nodes had, by path; also of nodes without arrays.
        assets: other files, by their name below `assets/`.
        legacy: the arrays are named as in legacy files.
        notes: what could not be taken over, in words.
        parts: the files of weights in several files.
        size: bytes of all files.
        verify: compares the checksums of what was read; to be called when all was read.
    """

    path: str
    kind: str
    config: dict[str, Any] | None = None
    metadata: dict[str, Any] = dataclasses.field(default_factory=dict)
    arrays: dict[str, Array] = dataclasses.field(default_factory=dict)
    names: dict[str, str] = dataclasses.field(default_factory=dict)
    assets: dict[str, Callable[[], BinaryIO]] = dataclasses.field(default_factory=dict)
    legacy: bool = False
    notes: list[str] = dataclasses.field(default_factory=list)
    parts: list[str] = dataclasses.field(default_factory=list)
    size: int = 0
    verify: Callable[[], None] = lambda: None

    def nodes(self) -> dict[str, dict[str, Array]]:
        """The arrays by path of their node and name there; names alone count for nodes without arrays."""
        found: dict[str, dict[str, Array]] = {path: {} for path in self.names}
        for name, array in self.arrays.items():
            path, key = split(name)
            found.setdefault(path, {})[key] = array
        return found

    def legacy_layers(self) -> dict[str, dict[str, Array]]:
        """The arrays of a legacy file by layer and name there."""
        layers: dict[str, dict[str, Array]] = {}
        for name, array in self.arrays.items():
            layer, _, weight = name.partition("/")
            layers.setdefault(layer, {})[weight] = array
        return layers

    def drop_optimizer(self) -> list[Array]:
        """Forget the state of the optimizer; gives its arrays."""
        dropped = [name for name in self.arrays if name.split("/")[0] == "optimizer"]
        self.names = {path: name for path, name in self.names.items() if path.split("/")[0] != "optimizer"}
        return [self.arrays.pop(name) for name in dropped]

    def nbytes(self) -> int:
        """Size of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())


def split(name: str) -> tuple[str, str]:
    """Node and key of an array's full name: `layers/dense/vars/0` is `0` of `layers/dense`."""
    head, mark, key = name.rpartition("vars/")
    if mark and (not head or head.endswith("/")):
        return head.rstrip("/"), key
    head, _, key = name.rpartition("/")
    return head, key


def join(path: str, key: str) -> str:
    """The full name of an array of a node."""
    return f"{path}/vars/{key}" if path else f"vars/{key}"


@contextlib.contextmanager
def open_contents(path: str | os.PathLike[str], limits: Limits = DEFAULT, convert: bool = True) -> Iterator[Contents]:
    """Open any file that holds a model or arrays.

    These are `.keras`, `.weights.h5`, `.weights.json`, `.h5`, `.npz` and `.safetensors` files.

    Args:
        path: the file or `.keras` folder, which may be remote.
        limits: bounds on what is read.
        convert: name the arrays of legacy models as today's files do; otherwise they keep their names.

    Raises:
        ValueError: a legacy file has layers whose arrays cannot be named without their classes.
        FileNotFoundError, CorruptFileError, UnsafeFileError: see `ksave.load_model`.
    """
    with contextlib.ExitStack() as stack:
        path = os.fspath(path)
        found = Contents(path, "weights")
        path = stack.enter_context(remote.fetched(path))
        if not os.path.exists(path):
            raise FileNotFoundError(f"There is no file {path}.")
        if path.endswith(".weights.json"):
            shards = stack.enter_context(Reader.open_shards(path, limits, text=True))
            found.parts = [str(file.filename) for file in shards.files]
            _from_store(found, shards)
        elif path.endswith(".npz"):
            found.kind = "arrays"
            if sniff.kind_of(path) != "empty zip":  # what np.savez writes without arrays
                sniff.require(path, "zip", "an .npz file (a zip archive of .npy arrays)")
                _from_npz(found, stack.enter_context(archive.ZipReader(path, limits)))
        elif path.endswith(".safetensors"):
            _from_safetensors(found, stack.enter_context(SafetensorsReader(path, limits)))
        elif path.endswith(".keras") or sniff.kind_of(path) in ("zip", "folder"):
            _from_archive(found, stack, stack.enter_context(archive.open_archive(path, limits)), limits)
        else:
            file, listing = hdf5.open_listed(path, path, limits, text=True)
            stack.enter_context(file)
            with hdf5.damage(path):
                if "model_config" in file.attrs or "layer_names" in file.attrs or "layer_names0" in file.attrs:
                    _from_legacy(found, file, limits, convert)
                else:
                    _from_store(found, Reader.listed(file, listing))
        found.size = sum(map(remote.size, [path, *found.parts]))
        yield found


def _from_archive(found: Contents, stack: contextlib.ExitStack, source: Any, limits: Limits) -> None:
    found.kind = "model"
    found.config = config_of(source.read(CONFIG), f"{source.path}: {CONFIG}", limits)
    if METADATA in source.names():
        metadata = checked_json.loads(source.read(METADATA), METADATA, limits)
        found.metadata = metadata if isinstance(metadata, dict) else {}
    reader = stack.enter_context(archive_weights(source, text=True))
    found.verify = reader.verify
    _from_store(found, reader)
    for name in source.names():
        if name.startswith(ASSETS):
            found.assets[name[len(ASSETS) :]] = functools.partial(source.open, name)


def config_of(text: bytes | str, name: str, limits: Limits = DEFAULT) -> dict[str, Any]:
    """The record of a model from JSON text.

    Raises:
        CorruptFileError: the text is no record of a model.
    """
    config = checked_json.loads(text, name, limits)
    if not isinstance(config, dict) or not isinstance(config.get("class_name"), str):
        raise CorruptFileError(f"{name} describes no model: it is no JSON object with a 'class_name'.")
    return config


def _from_store(found: Contents, reader: Reader) -> None:
    with hdf5.damage(found.path):
        for path, shapes in reader.paths().items():
            store = reader.store(path)
            name = reader.name(path)
            if name is not None:
                found.names[path] = name
            for key in sorted(shapes, key=_number):
                found.arrays[join(path, key)] = _stored(store, key)


def _number(key: str) -> tuple[int, int, str]:
    return (0, int(key), "") if key.isdigit() else (1, 0, key)


def _stored(store: Any, key: str) -> Array:
    shape, dtype, nbytes = store.describe(key)
    return Array(shape, dtype, nbytes, lambda: store[key])


def _from_legacy(found: Contents, file: Any, limits: Limits, convert: bool) -> None:
    saved = legacy_layout.read(file)
    arrays = {
        layer: {name: Array(*hdf5.describe(data), _reading(data)) for name, data in weights.items()}
        for layer, weights in saved.layers.items()
    }
    version = hdf5.text_attribute(file, "keras_version")
    if version is not None:
        found.metadata = {"keras_version": version}
    optimizer = [Array(*hdf5.describe(data), _reading(data)) for data in saved.optimizer]
    text = hdf5.text_attribute(file, "model_config")
    if text is not None:
        found.kind = "model"
        training = hdf5.text_attribute(file, "training_config")
        settings = None if training is None else checked_json.loads(training, "training_config", limits)
        config = config_of(text, f"{found.path}: model_config", limits)
        found.config = legacy_layout.modern_config(config, settings)
    if found.config is None or not convert:
        found.legacy = True
        found.arrays = {f"{layer}/{name}": array for layer in arrays for name, array in arrays[layer].items()}
        found.arrays.update({f"optimizer_weights/{index}": array for index, array in enumerate(optimizer)})
        return
    found.arrays, found.names = legacy_layout.to_store(found.config, arrays)
    if optimizer and (found.config.get("compile_config") or {}).get("optimizer"):
        if str(version or "").startswith("3"):
            found.arrays.update({f"optimizer/vars/{index}": array for index, array in enumerate(optimizer)})
        else:
            found.notes.append("the state of the optimizer of Keras 2 has another order and was left out")


def _reading(data: Any) -> Callable[[], Any]:
    return lambda: hdf5.read_array(data)


def _from_npz(found: Contents, source: archive.ZipReader) -> None:
    from ksave.npz import read_arrays

    for name, array in read_arrays(source).items():
        found.arrays[name] = Array(array.shape, array.dtype.name, array.nbytes, array.read)


def _from_safetensors(found: Contents, reader: SafetensorsReader) -> None:
    found.kind = "arrays"
    names = reader.metadata.get("keras_names")
    if names is not None:
        table = checked_json.loads(names, f"{reader.path}: keras_names")
        if not isinstance(table, dict):
            raise CorruptFileError(f"{reader.path}: keras_names is no JSON object.")
        found.names = {path: str(name) for path, name in table.items()}
    for name, entry in reader.entries.items():
        size = entry.stop - entry.start
        found.arrays[name] = Array(entry.shape, entry.dtype, size, functools.partial(reader.read, name))
