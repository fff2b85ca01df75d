"""What `save_own_variables` and `load_own_variables` get: mappings from names to arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from ksave import hdf5
from ksave.archive import check_name
from ksave.limits import DEFAULT, CorruptFileError, Limits
from ksave.windows import Window


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
    """Reads each array when it is asked for. Several groups (of shards) look like one."""

    def __init__(self, groups: list[Any]) -> None:
        self._data = {key: group[key] for group in groups for key in group}

    def __getitem__(self, key: str) -> Any:
        data = self._data[key]
        if not hasattr(data, "shape"):
            raise KeyError(key)
        return hdf5.read_array(data)

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def describe(self, key: str) -> tuple[tuple[int, ...], str, int]:
        """Shape, name of the dtype and bytes of an array, without reading it."""
        return hdf5.describe(self._data[key])

    def shape(self, key: str) -> tuple[int, ...] | None:
        """The shape of an array, without reading it."""
        return getattr(self._data[key], "shape", None)


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
        self._file = hdf5.h5py().File(self._window, "w")

    def store(self, path: str, name: Any) -> WriteStore:
        """The store of the node at `path`."""
        return WriteStore(self, f"{path}/vars" if path else "vars", name)

    def group(self, path: str) -> Any:
        """Make the group of a node."""
        return self._file.require_group(path)

    def room(self, path: str, size: int) -> Any:
        """The group in which `size` more bytes of a node go."""
        self._window.check()  # a full disk ends it at once
        return self._file[path]

    def close(self) -> None:
        """Finish the file.

        Raises:
            OSError: it could not be written.
        """
        self._file.close()
        if self._path is not None:
            self._window.close()
        self._window.check()


class ShardWriter(Writer):
    """Writes the weights of nodes to several HDF5 files, each of about `limit` bytes at most.

    Args:
        stem: the path of the files without number and ending.
        limit: a new file is begun before an array that would make the current one larger.
    """

    def __init__(self, stem: str, limit: float) -> None:
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
        return self._file.require_group(path)


class Reader:
    """Reads the weights of nodes from one or several checked HDF5 files."""

    def __init__(self, files: list[Any]) -> None:
        self.files = files

    @classmethod
    def open(
        cls, source: Any, name: str | None = None, limits: Limits = DEFAULT, text: bool = False
    ) -> Reader:
        """Open and check one HDF5 file."""
        return cls([hdf5.open_checked(source, name, limits, text)])

    @classmethod
    def open_shards(cls, index: str, limits: Limits = DEFAULT, text: bool = False) -> Reader:
        """Open the files that a `.weights.json` index names; they stand beside it."""
        from ksave import checked_json

        with open(index, "rb") as file:
            table = checked_json.loads(file.read(limits.json_bytes + 1), index, limits)
        weight_map = table.get("weight_map") if isinstance(table, dict) else None
        if not isinstance(weight_map, dict):
            raise CorruptFileError(f"{index} is no index of weights files: it has no 'weight_map'.")
        names: dict[str, None] = {}
        for value in weight_map.values():
            for name in [value] if isinstance(value, str) else value:
                if "/" in check_name(name, index):
                    raise CorruptFileError(f"{index} names {name!r}; the files stand beside the index.")
                names[name] = None
        reader = cls([])
        folder = os.path.dirname(index)
        try:
            for name in names:
                reader.files.append(hdf5.open_checked(os.path.join(folder, name), None, limits, text))
        except BaseException:
            reader.close()
            raise
        return reader

    def store(self, path: str) -> ReadStore:
        """The store of the node at `path`, empty when the file has none."""
        inner = f"{path}/vars" if path else "vars"
        return ReadStore([file[inner] for file in self.files if inner in file])

    def name(self, path: str) -> str | None:
        """The name that the node at `path` had; the file must have been opened with `text=True`."""
        inner = f"{path}/vars" if path else "vars"
        names = [file[inner].attrs.get("name") for file in self.files if inner in file]
        return next((str(name) for name in names if name is not None), None)

    def paths(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """Every node's path in the file with the shapes of its arrays."""
        found: dict[str, dict[str, tuple[int, ...]]] = {}

        def visit(name: str, item: Any) -> None:
            if name == "vars" or name.endswith("/vars"):
                found.setdefault(name[:-5], {})
            elif hasattr(item, "shape"):
                node, _, key = name.rpartition("vars/")
                found.setdefault(node[:-1], {})[key] = item.shape

        for file in self.files:
            file.visititems(visit)
        return found

    def nbytes(self) -> int:
        """Size of all arrays, unpacked."""
        sizes: list[int] = []

        def visit(name: str, item: Any) -> None:
            if hasattr(item, "nbytes"):
                sizes.append(item.nbytes)

        for file in self.files:
            with hdf5.damage(str(file.filename)):
                file.visititems(visit)
        return sum(sizes)

    def __contains__(self, path: str) -> bool:
        return any(path in file for file in self.files)

    def close(self) -> None:
        for file in self.files:
            file.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *args: Any) -> None:
        self.close()
