"""Every container a Keras file comes in: how a good one is made, and where an attack finds its parts.

The attacks (`*_attacks.py`) know one part each: HDF5, JSON, zip, .npy. The matrix test puts each into every
container that has that part and opens that at every entry point (`entries.py`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py

import ksave
from ksave.tests.fake_layers import Chain, small_model

CONFIG = "config.json"


def plain_model() -> Chain:
    """A model without an optimizer and without other files, which every layout can hold."""
    model = small_model()
    model.layers = model.layers[:-1]
    model.optimizer = None
    return model


@dataclasses.dataclass(frozen=True)
class Container:
    """One kind of file.

    Args:
        name: of the file.
        make: writes a good one.
        parts: what is inside: "zip", "folder", "hdf5", "config", "index", "npy", "safetensors".
        hdf5: the name of the HDF5 file inside; beside, for an index; empty when the file is HDF5 itself.
    """

    name: str
    make: Callable[[Path], None]
    parts: frozenset[str]
    hdf5: str = ""

    def write(self, folder: Path) -> Path:
        """Put a good one in a folder, with what belongs beside it, and give its path."""
        shutil.copytree(self.good().parent, folder, dirs_exist_ok=True)
        return folder / self.name

    def good(self) -> Path:
        """A good one, made once, which nobody may change."""
        return _made(self.name)

    @contextlib.contextmanager
    def part(self, path: Path, name: str) -> Iterator[Path]:
        """A member as a file that may be changed; afterwards it is put back."""
        if "zip" in self.parts:
            aside = path.parent / "aside"
            with zipfile.ZipFile(path) as source:
                members = {member: source.read(member) for member in source.namelist()}
            aside.write_bytes(members[name])
            yield aside
            members[name] = aside.read_bytes()
            aside.unlink()
            write_zip(path, members)
        elif "folder" in self.parts:
            yield path / name
        else:
            yield path.parent / name if name else path

    def attack_hdf5(self, path: Path, attack: Callable[[Path], None]) -> None:
        """Let an attack change the HDF5 file."""
        with self.part(path, self.hdf5) as file:
            attack(file)

    def attack_config(self, path: Path, attack: Callable[[bytes], bytes]) -> None:
        """Let an attack change the text of the model's config."""
        if "hdf5" in self.parts and not self.parts & {"zip", "folder"}:
            with h5py.File(path, "a") as file:
                text = attack(str(file.attrs["model_config"]).encode())
                del file.attrs["model_config"]
                # Long attributes do not fit in the head of an object; text of variable length always does.
                kind = f"S{len(text)}" if b"\0" in text else h5py.string_dtype()
                file.attrs.create("model_config", text, dtype=kind)
        else:
            with self.part(path, CONFIG) as file:
                file.write_bytes(attack(file.read_bytes()))


def write_zip(path: Path, members: dict[str, bytes]) -> None:
    """A zip file of these members, without compression unless they are large."""
    with zipfile.ZipFile(path, "w") as target:
        for name, content in members.items():
            packed = zipfile.ZIP_DEFLATED if len(content) > 1 << 20 else zipfile.ZIP_STORED
            target.writestr(name, content, packed)


def _sharded_archive(path: Path) -> None:
    model = plain_model()
    ksave.save_model(model, path)
    ksave.save_weights(model, path.parent / "model.weights.json", max_shard_size=1e-9)
    with zipfile.ZipFile(path) as source:
        members = {name: source.read(name) for name in source.namelist() if name != "model.weights.h5"}
    for file in sorted(path.parent.glob("model*.weights.*")):
        members[file.name] = file.read_bytes()
        file.unlink()
    write_zip(path, members)


def _npz_archive(path: Path) -> None:
    ksave.save_model(plain_model(), path)
    npz = path.parent / "model.weights.npz"
    _converted(npz)
    with zipfile.ZipFile(path) as source:
        members = {name: source.read(name) for name in source.namelist() if name != "model.weights.h5"}
    write_zip(path, {**members, npz.name: npz.read_bytes()})
    npz.unlink()


def _converted(path: Path) -> None:
    """The weights of a model in another format."""
    from ksave import rewrite
    from ksave.contents import open_contents

    source = path.parent / "source.weights.h5"
    ksave.save_weights(plain_model(), source)
    with open_contents(str(source)) as contents:
        rewrite.write(contents, str(path))
    source.unlink()


@functools.cache
def _made(name: str) -> Path:
    path = Path(_folder().name) / name / name
    path.parent.mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        next(container for container in CONTAINERS if container.name == name).make(path)
    return path


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


def _parts(text: str) -> frozenset[str]:
    return frozenset(text.split())


CONTAINERS = (
    Container(
        "m.keras", lambda path: ksave.save_model(small_model(), path), _parts("zip hdf5 config"), "model.weights.h5"
    ),
    Container(
        "folder",
        lambda path: ksave.save_model(small_model(), path, zipped=False),
        _parts("folder hdf5 config"),
        "model.weights.h5",
    ),
    Container("sharded.keras", _sharded_archive, _parts("zip hdf5 config index"), "model_00000.weights.h5"),
    Container("npz.keras", _npz_archive, _parts("zip config npy")),
    Container("legacy.h5", lambda path: ksave.save_model(plain_model(), path), _parts("hdf5 config")),
    Container("weights.h5", lambda path: ksave.save_weights(plain_model(), path), _parts("hdf5")),
    Container("m.weights.h5", lambda path: ksave.save_weights(small_model(), path), _parts("hdf5")),
    Container(
        "m.weights.json",
        lambda path: ksave.save_weights(plain_model(), path, max_shard_size=1e-9),
        _parts("hdf5 index"),
        "m_00000.weights.h5",
    ),
    Container("m.npz", _converted, _parts("zip npy")),
    Container("m.safetensors", _converted, _parts("safetensors")),
)


def with_part(part: str) -> list[Container]:
    """The containers that have a part."""
    return [container for container in CONTAINERS if part in container.parts]
