"""Writing the contents of a file in any of the formats, array by array."""

from __future__ import annotations

import datetime
import json
from typing import Any, Callable, Iterator

from ksave import hdf5, legacy_layout, legacy_write, safetensors
from ksave.atomic import atomic_file
from ksave.contents import Array, Contents
from ksave.legacy_config import legacy_record, training_config
from ksave.models import CONFIG, METADATA, write_files
from ksave.stores import Writer
from ksave.versions import KERAS_VERSION

ENDINGS = (".keras", ".weights.h5", ".h5", ".npz", ".safetensors")
Progress = Callable[[int], None]


def write(contents: Contents, path: str, progress: Progress | None = None, folder: bool = False) -> None:
    """Write a file of the format that its name says; it is whole, or not there.

    Args:
        contents: what to write. It must still be open when `path` is the file it came from.
        path: ends in `.keras`, `.weights.h5`, `.h5`, `.npz` or `.safetensors`.
        progress: called with the bytes of each array when it is written.
        folder: write a folder with the members of a `.keras` file, whatever its name.

    Raises:
        ValueError: another ending, or the contents lack what the format needs.
    """
    show = progress or (lambda count: None)
    if folder or path.endswith(".keras"):
        texts = _texts(contents, path)
        write_files(path, not folder, texts, lambda writer: _fill(contents, writer, show), contents.assets.items())
    elif path.endswith(".weights.h5"):
        _need_layout(contents, path)
        with atomic_file(path) as temporary, Writer(temporary) as writer:
            _fill(contents, writer, show)
    elif path.endswith(".h5"):
        _write_legacy(contents, path, show)
    elif path.endswith(".npz"):
        _write_npz(contents, path, show)
    elif path.endswith(".safetensors"):
        _write_safetensors(contents, path, show)
    else:
        raise ValueError(f"Files are written as {', '.join(ENDINGS)}; {path!r} ends otherwise.")


def _need_layout(contents: Contents, path: str) -> None:
    if contents.legacy:
        raise ValueError(
            f"{contents.path} has weights in the legacy layout and no config, which is needed to know where they "
            f"go in {path}. Give the model with --config: a .keras or .h5 file, or the JSON of model.to_json()."
        )


def _need_config(contents: Contents, path: str) -> dict[str, Any]:
    if contents.config is None:
        raise ValueError(
            f"{contents.path} holds weights alone, and {path} needs the model, too. Give it with --config: a "
            ".keras or .h5 file, or the JSON of model.to_json()."
        )
    return contents.config


def _texts(contents: Contents, path: str) -> dict[str, str]:
    now = datetime.datetime.now().strftime("%Y-%m-%d@%H:%M:%S")
    metadata = {"keras_version": KERAS_VERSION, "date_saved": now, **contents.metadata}
    return {METADATA: json.dumps(metadata), CONFIG: json.dumps(_need_config(contents, path))}


def _fill(contents: Contents, writer: Writer, show: Progress) -> None:
    for path, arrays in contents.nodes().items():
        store = writer.store(path, contents.names.get(path))
        for key, array in arrays.items():
            store[key] = array.read()
            show(array.nbytes)
    contents.verify()


class _Named:
    """An array with the name under which it is written, read when it is written."""

    def __init__(self, name: str, array: Array, show: Progress) -> None:
        self.path = self.name = name
        self._array = array
        self._show = show

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self._show(self._array.nbytes)
        return hdf5.to_numpy(self._array.read())


def _write_legacy(contents: Contents, path: str, show: Progress) -> None:
    optimizer: list[Array] = []
    if contents.legacy:
        layers = contents.legacy_layers()
    else:
        config = _need_config(contents, path)
        nodes = contents.nodes()
        optimizer = list(nodes.pop("optimizer", {}).values())
        layers, left = legacy_layout.from_store(config, nodes)
        if any(name.startswith("optimizer/") for name in left):
            optimizer = []  # of several optimizers, for which the format has no place
            contents.notes.append("the state of the optimizers was left out")
        left = [name for name in left if not name.startswith("optimizer/")]
        if left:
            raise ValueError(
                f"The .h5 layout has no place for the weights of {', '.join(left)}: it holds those of layers that "
                "the config of the model lists."
            )
        if contents.assets:
            raise ValueError(
                f"{contents.path} has other files inside ({', '.join(contents.assets)}), which .h5 has no place for."
            )
    with legacy_write.created(path) as writer:
        version = str(contents.metadata.get("keras_version") or KERAS_VERSION)
        where = "/"
        if contents.config is not None:
            where = "/model_weights/"
            writer.file.attrs.update(keras_version=version, backend="numpy")
            _write_config(contents.config, writer.file)
        legacy_write.write_head(writer, where, [name for name in layers if name != legacy_layout.TOP], version, "numpy")
        for layer, arrays in layers.items():
            legacy_write.write_variables(writer, where + layer, [_Named(*item, show) for item in arrays.items()])
        if optimizer and contents.config is not None:
            name = contents.names.get("optimizer") or "optimizer"
            named = [_Named(f"{name}/variable_{i}", array, show) for i, array in enumerate(optimizer)]
            legacy_write.write_variables(writer, "/optimizer_weights", named)
        contents.verify()


def _write_config(config: dict[str, Any], file: Any) -> None:
    settings = config.get("compile_config")
    bare = {key: value for key, value in config.items() if key not in ("compile_config", "build_config")}
    file.attrs["model_config"] = json.dumps(legacy_record(bare))
    if isinstance(settings, dict) and settings.get("optimizer"):
        file.attrs["training_config"] = json.dumps(training_config(settings))


def _write_npz(contents: Contents, path: str, show: Progress) -> None:
    from ksave.npz import NpzWriter

    with atomic_file(path) as temporary:
        with NpzWriter(temporary) as writer:
            for name, array in contents.arrays.items():
                writer.put(name, array.read())
                show(array.nbytes)
        contents.verify()


def _write_safetensors(contents: Contents, path: str, show: Progress) -> None:
    described = {name: (array.dtype, array.shape) for name, array in contents.arrays.items()}
    metadata = {"format": "keras"}
    if contents.names:
        metadata["keras_names"] = json.dumps(contents.names)

    def values() -> Iterator[Any]:
        for array in contents.arrays.values():
            yield array.read()
            show(array.nbytes)

    with atomic_file(path) as temporary:
        safetensors.write(temporary, described, values(), metadata)
        contents.verify()
