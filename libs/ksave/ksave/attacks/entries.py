"""Every way in which a file reaches this library: functions, the editor and the commands."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import ksave
from ksave import __main__ as command_line
from ksave import inspection
from ksave.attacks.containers import Container, _made, plain_model
from ksave.deserialize import ConfigError
from ksave.tests.fake_layers import small_model

REFUSALS = (ksave.UnsafeFileError, ksave.CorruptFileError, ksave.UnknownObjectError, ConfigError)


class Refused(Exception):
    """The command line said no."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One way in.

    Args:
        name: what it is called.
        run: opens the file at a path; the folder may be written to.
        takes: containers by name; all by default.
        reads: the parts it looks at.
        makes: whether objects are made of the config.
    """

    name: str
    run: Callable[[Path, Path], None]
    takes: Callable[[Container], bool] = lambda container: True
    reads: frozenset[str] = frozenset({"zip", "folder", "hdf5", "config", "index", "npy", "safetensors"})
    makes: bool = False


def _load_weights(path: Path, folder: Path) -> None:
    small = path.name in ("m.keras", "folder", "m.weights.h5")
    ksave.load_weights(small_model() if small else plain_model(), path)


def _edit(path: Path, folder: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        editor = ksave.KerasFileEditor(path)
        editor.summary()
        editor.save(folder / "edited.weights.h5")


def _verify(path: Path, folder: Path) -> None:
    problems = inspection.verify(str(path))
    if problems:
        raise Refused(problems)


# The arguments of every command; {file} is the hostile file, {good} another one, {out} a file to write.
COMMANDS = {
    "inspect": ("{file}", "--weights", "--json"),
    "verify": ("{file}",),
    "diff": ("{good}", "{file}"),
    "rename": ("{file}", "{layer}", "{renamed}", "-o", "{out}"),
    "strip": ("{file}", "-o", "{out}"),
    "convert": ("{file}", "{out}"),
    "edit": ("{file}", "--rename", "layers/dense", "renamed", "-o", "{out}"),
}


def _command(name: str) -> Callable[[Path, Path], None]:
    def run(path: Path, folder: Path) -> None:
        # Commands that change a file write one of its kind.
        out = folder / f"out.{path.name.partition('.')[2].replace('json', 'h5') or 'keras'}"
        if name == "convert":
            out = folder / "out.npz" if path.suffix != ".npz" else folder / "out.safetensors"
        layer, renamed = "dense_of_3", "renamed"
        if ".weights." in path.name:
            layer, renamed = "layers/dense", "layers/renamed"
        words = {"file": path, "good": _made(path.name), "out": out, "layer": layer, "renamed": renamed}
        said = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            code = command_line.main([name, *(word.format(**words) for word in COMMANDS[name])])
        assert "\x1b" not in said.getvalue()
        if code:
            assert not out.exists()
            raise Refused(said.getvalue())
        if out.is_dir():
            shutil.rmtree(out)
        elif out.exists():
            out.unlink()

    return run


def _is_model(container: Container) -> bool:
    return "config" in container.parts


def _in_store_layout(container: Container) -> bool:
    return container.name.endswith((".keras", ".weights.h5", ".weights.json")) or container.name == "folder"


def _is_renamed(container: Container) -> bool:
    # What has objects with names of their own, so that one can be renamed.
    return _in_store_layout(container)


_LIMITS = {
    "rename": _is_renamed,
    "edit": _is_renamed,
    "convert": lambda c: "legacy" not in c.name and c.name != "weights.h5",
}

ENTRIES = (
    Entry("load_model", lambda path, _: ksave.load_model(path), _is_model, makes=True),
    Entry(
        "load_weights",
        _load_weights,
        lambda container: container.name != "m.safetensors",
        reads=frozenset({"zip", "folder", "hdf5", "index", "npy"}),
    ),
    Entry("KerasFileEditor", _edit, _in_store_layout),
    Entry("inspect()", lambda path, _: inspection.inspect(str(path)) and None),
    Entry("verify()", _verify),
    *(Entry(f"ksave {name}", _command(name), _LIMITS.get(name, lambda _: True)) for name in COMMANDS),
)


def attempt(entry: Entry, path: Path, folder: Path) -> Exception | None:
    """Open a file at an entry; gives the refusal, or None when there was none. Other errors are raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            entry.run(path, folder)
        except (*REFUSALS, Refused) as error:
            return error
    return None
