"""Looking into a weights file, comparing it with a model, and changing names and arrays in it."""

from __future__ import annotations

import os
import sys
from typing import Any, Iterator

from ksave import hdf5, remote, tree_view
from ksave.atomic import atomic_file
from ksave.contents import Contents, open_contents
from ksave.mismatch import expected_shapes
from ksave.saveables import walk
from ksave.stores import Writer
from kspec import public


@public("keras.saving.KerasFileEditor")
class KerasFileEditor:
    """The weights of a saved file as a tree that can be shown, compared, changed and saved again.

    Objects are named by their last name where only one has it, or by their whole path (`layers/dense`).

    Args:
        filepath: a `.keras` file or folder, a `.weights.h5` file, or the `.weights.json` of several. It is read
            whole and not changed.

    Attributes:
        weights_dict: the tree, objects being dictionaries and weights arrays.
        object_metadata: the names that objects have, by their path: `{"/layers/dense": {"name": "head"}}`.
        config: of the model, in a `.keras` file.
        metadata: version and date of a `.keras` file.

    Raises:
        ValueError: another ending, or a file that is refused (see `load_model`).

    Example:
        >>> editor = KerasFileEditor("digits.keras")
        >>> editor.summary()
        >>> editor.rename_object("dense", "head")
        >>> editor.save("renamed.weights.h5")
    """

    def __init__(self, filepath: Any) -> None:
        path = os.fspath(filepath)
        if not remote.exists(path):
            raise FileNotFoundError(f"There is no file {path}.")
        is_folder = remote.is_remote(path) or os.path.isdir(path)  # what a remote one is shows when it is here
        if not path.endswith((".keras", ".weights.h5", ".weights.json")) and not is_folder:
            raise ValueError(f"The editor opens .keras and .weights.h5 files, not {path!r}.")
        with open_contents(path) as contents:
            self._take(contents)
            self._read_all(self.weights_dict)
        print("\n".join(self._headings()))

    @classmethod
    def _of(cls, contents: Contents) -> KerasFileEditor:
        """An editor of an open file, whose arrays stay in the file until they are read."""
        editor = cls.__new__(cls)
        editor._take(contents)
        return editor

    def _take(self, contents: Contents) -> None:
        self.filepath = contents.path
        self.config: Any = contents.config
        self.metadata: Any = contents.metadata or None
        self.weights_dict: dict[str, Any] = {}
        for path, arrays in contents.nodes().items():
            if arrays:
                self._object(path, make=True).update(arrays)
        self.object_metadata = {f"/{path}": {"name": name} for path, name in contents.names.items()}

    def _read_all(self, inner: dict[str, Any]) -> None:
        for key, value in inner.items():
            if isinstance(value, dict):
                self._read_all(value)
            else:
                inner[key] = value.read()

    def _headings(self) -> list[str]:
        lines = [f"Keras model file {self.filepath!r}"]
        data = self.metadata or {}
        saved = [("by Keras ", "keras_version"), ("on ", "date_saved")]
        words = [f"{word}{data[key]}" for word, key in saved if key in data]
        if words:
            lines.append(f"Saved {' '.join(words)}")
        return lines

    def summary(self) -> None:
        """Show the tree of objects and weights: as text, or folded up as HTML in a notebook."""
        display = _notebook_display()
        if display is not None:
            display(self)
        else:
            print("\n".join(["Weights", *tree_view.text_lines(self.weights_dict)]))

    def _repr_html_(self) -> str:
        title, *rest = self._headings()
        return tree_view.as_html(title, f"{rest[0]}, " if rest else "", self.weights_dict)

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
            _join(path, key): tuple(array.shape)
            for path, key, array in arrays_of_tree(self.weights_dict)
            if path.split("/")[0] != "optimizer"
        }
        problems = [path for path in {**expected, **found} if expected.get(path) != found.get(path)]
        print(f"Comparing {self.filepath!r} with the model {getattr(reference_model, 'name', '')!r}")
        for path in problems:
            print(f"  {path}: in the model {_shape(expected.get(path))}, in the file {_shape(found.get(path))}")
        matches = sum(found.get(path) == shape for path, shape in expected.items())
        fits = "they do not fit" if problems else "they fit"
        print(f"{matches} weights match, {len(problems)} do not: {fits}.")
        return {"status": "error" if problems else "success", "error_count": len(problems), "match_count": matches}

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
        gone = f"/{_join(parent, name)}"
        for path in [path for path in self.object_metadata if path == gone or path.startswith(f"{gone}/")]:
            del self.object_metadata[path]

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
        """Write the tree to a `.weights.h5` file.

        Args:
            filepath: its path. It may be the file that was opened.

        Raises:
            ValueError: another ending.
        """
        path = os.fspath(filepath)
        if not path.endswith(".weights.h5"):
            raise ValueError(f"Weights are saved to a .weights.h5 file, not to {path!r}.")
        with atomic_file(path) as temporary, Writer(temporary) as writer:
            self._write(writer, "", self.weights_dict)

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
        meant = [path for path in paths if path == name] or [path for path in paths if path.rpartition("/")[2] == name]
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


def arrays_of_tree(inner: dict[str, Any], path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Path of the object, name and array of every weight in a tree."""
    for key, value in inner.items():
        if isinstance(value, dict):
            yield from arrays_of_tree(value, _join(path, key))
        else:
            yield path, key, value


def _shape(shape: tuple[int, ...] | None) -> str:
    return "not there" if shape is None else str(shape)


def _notebook_display() -> Any:
    """IPython's `display` where a notebook shows HTML, else None. IPython is never imported for it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    return sys.modules["IPython"].display.display
