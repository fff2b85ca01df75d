"""What `save_own_variables` and `load_own_variables` get: mappings from names to arrays."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, TypeVar

from ksave import hdf5
from ksave.archive import check_document, check_name, check_ratio
from ksave.limits import DEFAULT, CorruptFileError, Limits
from ksave.windows import Window

_W = TypeVar("_W", bound="Writer")


class WriteStore(MutableMapping[str, Any]):
    """Writes each array to the file as it is set, so that no second copy of a model is held."""

    def __init__(self, writer: Writer, path: str, name: Any) -> None:
        self._writer = writer
        self._path = path
        self._where: dict[str, Any] = {}
        group = writer.group(path)
        if isinstance(name, str):
            group.attrs["name"] = name

    def __setitem__(self, key: str, value: Any) -> None:
        key = str(key)
        if key in self._where:
            del self[key]
        array = hdf5.to_numpy(value)
        group = self._writer.room(self._path, array.nbytes)
        hdf5.write_array(group, key, array)
        self._where[key] = group

    def __getitem__(self, key: str) -> Any:
        return hdf5.read_array(self._where[key][key])

    def __delitem__(self, key: str) -> None:
        del self._where.pop(key)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._where)

    def __len__(self) -> int:
        return len(self._where)


class ReadStore(Mapping[str, Any]):
    """Reads each array when it is asked for. Several groups (of shards) look like one.

    Args:
        places: by name, the HDF5 file, the path in it, and the entry of its listing (None: a group).
    """

    def __init__(self, places: dict[str, tuple[Any, str, hdf5.Entry | None]]) -> None:
        self._places = places

    def __getitem__(self, key: str) -> Any:
        if self._places[key][2] is None:
            raise KeyError(key)
        return hdf5.read_array(self._dataset(key))

    def _dataset(self, key: str) -> Any:
        file, path, _ = self._places[key]
        return hdf5.dataset(file, path)

    def read_into(self, key: str, memory: Any) -> bool:
        """Read an array of numbers into `memory` if that has its shape, dtype and order; False when it has not."""
        data = None if self._places[key][2] is None else self._dataset(key)
        if data is None or data.dtype.kind not in "iufc" or data.dtype != memory.dtype or data.shape != memory.shape:
            return False
        if not memory.size or not memory.flags.c_contiguous:
            return False
        hdf5.read_plain(data, memory)
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def describe(self, key: str) -> tuple[tuple[int, ...], str, int]:
        """Shape, name of the dtype and bytes of an array, without reading it."""
        return hdf5.describe(self._dataset(key))

    def shape(self, key: str) -> tuple[int, ...] | None:
        """The shape of an array, without reading it."""
        entry = self._places[key][2]
        return None if entry is None else entry.shape


def load_variable(variable: Any, store: Any, key: str) -> None:
    """Give a variable an array of a store: read into its memory or handed over, where it and the store can do so.

    Args:
        variable: has `assign(array)`; may have `memory()`, an array over its own memory or None, and `take(array)`,
            which keeps the array.
        store: what `load_own_variables` got.
        key: the name in it.
    """
    if not isinstance(store, ReadStore):
        variable.assign(store[key])  # the array may be the caller's
        return
    memory = variable.memory() if hasattr(variable, "memory") else None
    if memory is None or not store.read_into(key, memory):
        getattr(variable, "take", variable.assign)(store[key])


class ShapeStore(dict):
    """Keeps what would be written as (shape, dtype), to say what a node expects to read."""

    def __setitem__(self, key: str, value: Any) -> None:
        shape = getattr(value, "shape", None)
        if shape is None:
            value = hdf5.to_numpy(value)
            shape = value.shape
        super().__setitem__(str(key), (tuple(shape), str(getattr(value, "dtype", ""))))


class Writer:
    """Writes the weights of nodes to one HDF5 file."""

    def __init__(self, target: str | Window) -> None:
        # Through a window always: it keeps errors away from HDF5.
        self._path = target if isinstance(target, str) else None
        self._window = Window(open(target, "wb+", buffering=0), 0) if isinstance(target, str) else target  # noqa: SIM115
        self.file = hdf5.h5py().File(self._window, "w")
        self._last: tuple[str, Any] = ("", None)  # path and group; most arrays go where the one before went

    def store(self, path: str, name: Any) -> WriteStore:
        """The store of the node at `path`."""
        return WriteStore(self, f"{path}/vars" if path else "vars", name)

    def group(self, path: str) -> Any:
        """Make the group of a node."""
        group = self.file.require_group(path)
        self._last = path, group
        return group

    def room(self, path: str, size: int) -> Any:
        """The group in which `size` more bytes of a node go."""
        self._window.check()  # a full disk ends it at once
        return self._last[1] if self._last[0] == path else self.file[path]

    def close(self) -> None:
        """Finish the file.

        Raises:
            OSError: it could not be written.
        """
        self.file.close()
        if self._path is not None:
            self._window.close()
        self._window.check()

    def __enter__(self: _W) -> _W:
        return self

    def __exit__(self, *args: Any) -> None:
        self.close()


class ShardWriter(Writer):
    """Writes the weights of nodes to several HDF5 files, each of about `limit` bytes at most.

    Args:
        stem: the path of the files without number and ending.
        limit: a new file is begun before an array that would make the current one larger.
        mark: by which readers see that the files belong together.
    """

    def __init__(self, stem: str, limit: float, mark: int | None = None) -> None:
        self._mark = mark
        self._stem = stem
        self._limit = limit
        self.files: list[str] = []
        self.map: dict[str, list[str]] = {}
        self.total = 0
        self._used = 0
        self._begin()

    def _begin(self) -> None:
        if self.files:
            self.close()
        path = f"{self._stem}_{len(self.files):05d}.weights.h5"
        self.files.append(path)
        self._used = 0
        super().__init__(path)
        if self._mark is not None:
            self.file.attrs["set"] = self._mark

    def room(self, path: str, size: int) -> Any:
        self._window.check()
        if self._used and self._used + size > self._limit:
            self._begin()
        self._used += size
        self.total += size
        name = os.path.basename(self.files[-1])
        names = self.map.setdefault(f"/{path}", [])
        if name not in names:
            names.append(name)
        return self.file.require_group(path)


class MixedSetError(CorruptFileError):
    """Weights files beside an index are of another save than the index."""


def read_index(content: bytes, index: str, limits: Limits = DEFAULT) -> tuple[list[str], Any]:
    """The files that a `.weights.json` index names, and the mark they carry."""
    from ksave import checked_json

    table = checked_json.loads(content, index, limits)
    weight_map = table.get("weight_map") if isinstance(table, dict) else None
    if not isinstance(weight_map, dict):
        raise CorruptFileError(f"{index} is no index of weights files: it has no 'weight_map'.")
    names: dict[str, None] = {}
    for value in weight_map.values():
        for name in value if isinstance(value, list) else [value]:
            if not isinstance(name, str) or "/" in check_name(name, index):
                raise CorruptFileError(f"{index} names {name!r}; the files stand beside the index.")
            names[name] = None
    metadata = table.get("metadata")
    return list(names), metadata.get("set") if isinstance(metadata, dict) else None


class Reader:
    """Reads the weights of nodes from one or several checked HDF5 files."""

    def __init__(self) -> None:
        self.files: list[Any] = []
        self._sources: list[Any] = []
        self._listings: list[hdf5.Listing] = []

    @classmethod
    def open(cls, source: Any, name: str | None = None, limits: Limits = DEFAULT, text: bool = False) -> Reader:
        """Open and check one HDF5 file; a file object is closed with the reader."""
        reader = cls()
        reader._add(source, name, limits, text)
        return reader

    @classmethod
    def listed(cls, file: Any, listing: hdf5.Listing) -> Reader:
        """Of what `hdf5.open_listed` opened."""
        reader = cls()
        reader.files, reader._listings = [file], [listing]
        return reader

    def _add(self, source: Any, name: str | None, limits: Limits, text: bool) -> None:
        try:
            file, listing = hdf5.open_listed(source, name, limits, text)
        except BaseException:
            if hasattr(source, "close"):
                source.close()
            raise
        self.files.append(file)
        self._sources.append(source)
        self._listings.append(listing)

    @classmethod
    def open_shards(cls, index: str, limits: Limits = DEFAULT, text: bool = False, source: Any = None) -> Reader:
        """Open the files that a `.weights.json` index names; they stand beside it.

        Args:
            index: the path of the index; its name in `source` when that is given.
            limits: bounds on what is read.
            text: attributes that hold text will be read.
            source: an open archive that has the index and the files.
        """
        if source is not None:
            return cls._open_set(source.read(index), index, limits, text, source)
        before = None
        while True:
            check_document(os.path.getsize(index), index, limits)
            with open(index, "rb") as file:
                content = file.read()
            try:
                return cls._open_set(content, index, limits, text, None)
            except (FileNotFoundError, CorruptFileError):
                # Another process is writing a new set. Its index comes when all files are there.
                if content == before:
                    raise
                before = content
                time.sleep(0.1)

    @classmethod
    def _open_set(cls, content: bytes, index: str, limits: Limits, text: bool, source: Any) -> Reader:
        names, mark = read_index(content, index, limits)
        reader = cls()
        folder = os.path.dirname(index)
        stored = unpacked = 0
        try:
            for name in names:
                if source is None:
                    reader._add(os.path.join(folder, name), None, limits, text)
                    stored += os.path.getsize(os.path.join(folder, name))
                else:
                    reader._add(source.open(name), f"{source.path}: {name}", limits, text)
                    stored += source.packed(name)
                unpacked += hdf5.listed_bytes(reader._listings[-1])
                check_ratio(unpacked, stored, f"{index} with its files", limits)  # each of which has some for free
                found = hdf5.root_number(reader.files[-1], "set")
                if found != mark:
                    raise MixedSetError(
                        f"{name} is not of the set that {index} describes (its mark is {found}, that of the index "
                        f"{mark}): files of two saves were mixed. Save again, or copy all files of one save here."
                    )
        except BaseException:
            reader.close()
            raise
        return reader

    def store(self, path: str) -> ReadStore:
        """The store of the node at `path`, empty when the file has none."""
        inner = f"{path}/vars" if path else "vars"
        return ReadStore(
            {
                key: (file, f"{inner}/{key}", entry)
                for file, listing in zip(self.files, self._listings)
                for key, entry in listing.get(inner, {}).items()
            }
        )

    def name(self, path: str) -> str | None:
        """The name that the node at `path` had; the file must have been opened with `text=True`."""
        inner = f"{path}/vars" if path else "vars"
        names = [file[inner].attrs.get("name") for file in self.files if inner in file]
        return next((str(name) for name in names if name is not None), None)

    def paths(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """Every node's path in the file with the shapes of its arrays."""
        found: dict[str, dict[str, tuple[int, ...]]] = {}
        for listing in self._listings:
            for group in sorted(listing, key=lambda path: path.split("/")):
                outer, vars_, inner = f"{group}/".rpartition("vars/")
                if f"{group}/".endswith("/vars/") or group == "vars":
                    found.setdefault(outer[:-1], {})
                for key, entry in listing[group].items():
                    if entry is not None:
                        # Arrays that are below no "vars" belong to the root.
                        node = found.setdefault(outer[:-1] if vars_ else "", {})
                        node[(inner + key) if vars_ else f"{group}/{key}".lstrip("/")] = entry.shape
        return found

    def nbytes(self) -> int:
        """Size of all arrays, unpacked."""
        return sum(map(hdf5.listed_bytes, self._listings))

    def __contains__(self, path: str) -> bool:
        return any(path in listing for listing in self._listings)

    def verify(self) -> None:
        """Compare the checksums of sources that have one with what was read.

        Raises:
            CorruptFileError: they differ.
        """
        for source in self._sources:
            if hasattr(source, "verify"):
                source.verify()

    def close(self) -> None:
        for file in self.files:
            file.close()
        for source in self._sources:
            if hasattr(source, "close"):
                source.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *args: Any) -> None:
        self.close()
