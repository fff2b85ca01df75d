"""Looking into a weights file, comparing it with a model, and changing names and arrays in it."""

from __future__ import annotations

import os
from typing import Any, Iterator

from ksave import archive, checked_json, hdf5
from ksave.atomic import atomic_file
from ksave.mismatch import expected_shapes
from ksave.models import CONFIG, METADATA
from ksave.saveables import walk
from ksave.stores import Reader, Writer
from ksave.weights import archive_weights
from kspec import public


@public("keras.saving.KerasFileEditor")
class KerasFileEditor:
    """The weights of a saved file as a tree that can be shown, compared, changed and saved again.

    Objects are named by their last name where only one has it, or by their whole path (`layers/dense`).

    Args:
        filepath: a `.keras` or `.weights.h5` file. It is read whole and not changed.

    Raises:
        ValueError: another ending, or a file that is refused (see `load_model`).

    Example:
        >>> editor = KerasFileEditor("digits.keras")
        >>> editor.rename_object("dense", "head")
        >>> editor.save("renamed.weights.h5")
    """

    def __init__(self, filepath: Any) -> None:
        self.filepath = os.fspath(filepath)
        self.metadata: Any = None
        self.config: Any = None
        if not os.path.exists(self.filepath):
            raise FileNotFoundError(f"There is no file {self.filepath}.")
        if self.filepath.endswith(".keras"):
            with archive.open_archive(self.filepath) as source:
                self.config = checked_json.loads(source.read(CONFIG), CONFIG, source.limits)
                if METADATA in source.names():
                    self.metadata = checked_json.loads(source.read(METADATA), METADATA, source.limits)
                with archive_weights(source, text=True) as reader:
                    self._read(reader)
        elif self.filepath.endswith(".weights.h5"):
            with Reader.open(self.filepath, text=True) as reader:
                self._read(reader)
        else:
            raise ValueError(f"The editor opens .keras and .weights.h5 files, not {self.filepath!r}.")

    def _read(self, reader: Reader) -> None:
        self.weights_dict: dict[str, Any] = {}
        self.object_metadata: dict[str, dict[str, Any]] = {}
        with hdf5.damage(self.filepath):
            for path in reader.paths():
                store = reader.store(path)
                if len(store):
                    self._object(path, make=True).update({key: store[key] for key in store})
                name = reader.name(path)
                if name is not None and len(store):
                    self.object_metadata[f"/{path}"] = {"name": name}

    def summary(self) -> None:
        """Print the tree of objects and weights."""
        print(f"{self.filepath}\n" + "\n".join(_tree(self.weights_dict, "")))

    def compare(self, reference_model: Any) -> dict[str, Any]:
        """Say where the weights differ from what a model has, in names and shapes.

        Args:
            reference_model: a built model.

        Returns:
            `status` ("success" or "error"), `error_count` and `match_count` (weights).
        """
        expected = {
            f"{path}/{key}".lstrip("/"): shape
            for path, node in walk(reference_model)
            for key, (shape, _) in expected_shapes(node).items()
            if path.split("/")[0] != "optimizer"
        }
        found = {
            path: tuple(array.shape)
            for path, array in _arrays(self.weights_dict)
            if path.split("/")[0] != "optimizer"
        }
        problems = [
            f"{path}: in the model {expected.get(path, 'not there')}, in the file {found.get(path, 'not there')}"
            for path in {**expected, **found}
            if expected.get(path) != found.get(path)
        ]
        for problem in problems:
            print(problem)
        matches = sum(found.get(path) == shape for path, shape in expected.items())
        print(f"{matches} weights match, {len(problems)} do not.")
        return {
            "status": "error" if problems else "success",
            "error_count": len(problems),
            "match_count": matches,
        }

    def rename_object(self, object_name: str, new_name: str) -> None:
        """Give an object another name at its place."""
        _check_name(new_name)
        parent, name = self._find(object_name)
        inner = self._object(parent)
        if new_name in inner:
            raise ValueError(f"There is a {new_name!r} beside {name!r} already. Delete it first.")
        items = [(new_name if key == name else key, value) for key, value in inner.items()]
        inner.clear()
        inner.update(items)
        old, new = f"/{_join(parent, name)}", f"/{_join(parent, new_name)}"
        for path in [path for path in self.object_metadata if path == old or path.startswith(old + "/")]:
            self.object_metadata[new + path[len(old) :]] = self.object_metadata.pop(path)

    def delete_object(self, object_name: str) -> None:
        """Take an object out, with all below it."""
        parent, name = self._find(object_name)
        del self._object(parent)[name]

    def add_object(self, object_path: str, weights: dict[str, Any]) -> None:
        """Put an object at a path.

        Args:
            object_path: a whole path; what it stands below must be there.
            weights: arrays by name.
        """
        parent, _, name = object_path.strip("/").rpartition("/")
        _check_name(name)
        self._object(parent)[name] = {str(key): hdf5.to_numpy(value) for key, value in weights.items()}

    def delete_weight(self, object_name: str, weight_name: str) -> None:
        """Take one array out of an object."""
        parent, name = self._find(object_name)
        weights = self._object(_join(parent, name))
        if weight_name not in weights or isinstance(weights[weight_name], dict):
            have = ", ".join(key for key, value in weights.items() if not isinstance(value, dict))
            raise ValueError(f"{object_name!r} has no weight {weight_name!r}. It has: {have or 'none'}.")
        del weights[weight_name]

    def add_weights(self, object_name: str, weights: dict[str, Any]) -> None:
        """Put arrays into an object; those of the same name are replaced."""
        parent, name = self._find(object_name)
        target = self._object(_join(parent, name))
        target.update({str(key): hdf5.to_numpy(value) for key, value in weights.items()})

    def save(self, filepath: Any) -> None:
        """Write the tree to a `.weights.h5` file."""
        path = os.fspath(filepath)
        if not path.endswith(".weights.h5"):
            raise ValueError(f"Weights are saved to a .weights.h5 file, not to {path!r}.")
        with atomic_file(path) as temporary:
            writer = Writer(temporary)
            try:
                self._write(writer, "", self.weights_dict)
            finally:
                writer.close()

    def resave_weights(self, filepath: Any) -> None:
        """The same as `save`."""
        self.save(filepath)

    def _write(self, writer: Writer, path: str, inner: dict[str, Any]) -> None:
        arrays = {key: value for key, value in inner.items() if not isinstance(value, dict)}
        name = self.object_metadata.get(f"/{path}", {}).get("name")
        if arrays or name is not None:
            writer.store(path, name).update(arrays)
        for key, value in inner.items():
            if isinstance(value, dict):
                self._write(writer, _join(path, key), value)

    def _object(self, path: str, make: bool = False) -> dict[str, Any]:
        inner = self.weights_dict
        for part in path.split("/") if path else ():
            if make:
                inner = inner.setdefault(part, {})
            elif isinstance(inner.get(part), dict):
                inner = inner[part]
            else:
                raise ValueError(f"There is no object {path!r} in the file. summary() shows all.")
        return inner

    def _find(self, name: str) -> tuple[str, str]:
        """Parent path and name of the object that a path or a name means."""
        name = name.strip("/")
        paths = list(_objects(self.weights_dict, ""))
        meant = [path for path in paths if path == name] or [
            path for path in paths if path.rpartition("/")[2] == name
        ]
        if not meant:
            raise ValueError(f"There is no object {name!r} in the file. summary() shows all.")
        if len(meant) > 1:
            raise ValueError(f"{name!r} could be {' or '.join(meant)}. Give the whole path.")
        parent, _, last = meant[0].rpartition("/")
        return parent, last


def _check_name(name: str) -> None:
    if not name or "/" in name or name == "vars":
        raise ValueError(f"{name!r} cannot be the name of an object.")


def _join(parent: str, name: str) -> str:
    return f"{parent}/{name}" if parent else name


def _objects(inner: dict[str, Any], path: str) -> Iterator[str]:
    for key, value in inner.items():
        if isinstance(value, dict):
            yield _join(path, key)
            yield from _objects(value, _join(path, key))


def _arrays(inner: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in inner.items():
        if isinstance(value, dict):
            yield from _arrays(value, _join(path, key))
        else:
            yield _join(path, key), value


def _tree(inner: dict[str, Any], indent: str) -> Iterator[str]:
    for index, (key, value) in enumerate(inner.items()):
        last = index == len(inner) - 1
        branch = indent + ("└─ " if last else "├─ ")
        if isinstance(value, dict):
            yield branch + key
            yield from _tree(value, indent + ("   " if last else "│  "))
        else:
            yield f"{branch}{key}: shape={tuple(value.shape)}, dtype={value.dtype.name}"
