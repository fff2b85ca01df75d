"""`ksave edit`: change weights and configs, by options or in an editor."""

from __future__ import annotations

import argparse
import copy
import json
import os
import shlex
import subprocess
import sys
import tempfile
from typing import Any

from ksave import inspection, renaming, topology
from ksave.commands import show, target
from ksave.contents import Array, Contents, config_of, join, open_contents
from ksave.editor import KerasFileEditor, arrays_of_tree

HELP = "change weights and configs, by options or in your text editor"
EXAMPLES = """\
Without an option that changes something, the config is opened in the editor that $VISUAL or $EDITOR names (vi
otherwise). What comes back is checked: it must be JSON, a model, and fit the weights; else you are asked to go on
editing. Options are carried out in the order in which they stand; all of them, or none when one fails. Objects are
named as KerasFileEditor names them: by the last name where it is unique, or by the whole path. The file is changed
itself, unless -o says another.

exit code: 0, or 2 when it could not be done (then the file is as it was)

examples:
  ksave edit model.keras                                         the config, in $EDITOR
  ksave edit model.keras --set dense activation '"relu"'         an argument of the layer "dense", as JSON
  ksave edit model.keras --set model name '"digits"'             of the model itself
  ksave edit w.weights.h5 --rename dense head --delete layers/dropout -o new.weights.h5
  ksave edit w.weights.h5 --put head 0 kernel.npy --delete-weight head 1
  ksave edit w.weights.h5 --add layers/new arrays.npz            every array of arrays.npz, by its name there
  ksave edit model.keras --config-from changed.json              the config that a script made
"""
_CHANGES = (
    ("--rename", ("OBJECT", "NEW"), "give an object of the weights another name"),
    ("--delete", ("OBJECT",), "take an object out of the weights, with all below it"),
    ("--delete-weight", ("OBJECT", "KEY"), "take one array out of an object"),
    ("--add", ("PATH", "NPZ"), "put an object with the arrays of an .npz file at a path"),
    ("--put", ("OBJECT", "KEY", "NPY"), "put the array of an .npy file into an object"),
    (
        "--set",
        ("LAYER", "ARGUMENT", "JSON"),
        "change an argument of a layer in the config; LAYER is 'model' for the model",
    ),
    ("--config-from", ("JSON",), "replace the config by that in a file"),
)


class _Change(argparse.Action):
    """Keeps the options in the order in which they were given."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: Any = None) -> None:
        namespace.changes = [*(namespace.changes or ()), (option, list(values))]


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", metavar="FILE", help=".keras, .weights.h5 or .h5 file")
    for option, names, text in _CHANGES:
        parser.add_argument(
            option, dest="changes", nargs=len(names), metavar=names, action=_Change, default=None, help=text
        )
    parser.add_argument(
        "--dry-run", action="store_true", help="carry the changes out and check them, but write nothing"
    )
    target.add(parser)


def run(options: argparse.Namespace) -> int:
    """Edit."""
    output = options.output or options.file
    target.check(options.file, output, options.force)
    with open_contents(options.file) as contents:
        if options.changes:
            _apply(contents, options.changes)
        else:
            changed = _in_editor(contents)
            if changed is None:
                show.line("Nothing was changed.")
                return 0
            contents.config = changed
        if options.dry_run:
            show.line(f"{options.file}: the changes fit; nothing was written.")
            return 0
        target.write(contents, output)
    show.line(f"{output}: written")
    return 0


def _apply(contents: Contents, changes: list[tuple[str, list[str]]]) -> None:
    fitted = contents.config is not None and not problems(contents, contents.config)
    editor = KerasFileEditor._of(contents)
    for option, values in changes:
        if option == "--rename":
            editor.rename_object(*values)
        elif option == "--delete":
            editor.delete_object(*values)
        elif option == "--delete-weight":
            editor.delete_weight(*values)
        elif option == "--add":
            with open_contents(values[1]) as other:
                arrays = {name: array.read() for name, array in other.arrays.items()}
            if any("/" in name for name in arrays):
                raise ValueError(f"The arrays of {values[1]} are added to one object; their names have no '/'.")
            editor.add_object(values[0], arrays)
        elif option == "--put":
            editor.add_weights(values[0], {values[1]: _npy(values[2])})
        elif option == "--set":
            _set(contents, *values)
        else:
            with open(values[0], "rb") as file:
                contents.config = config_of(file.read(), values[0])
    contents.arrays = {join(path, key): _array(value) for path, key, value in arrays_of_tree(editor.weights_dict)}
    contents.names = {path.strip("/"): data["name"] for path, data in editor.object_metadata.items()}
    if fitted and contents.config is not None:
        _refuse(problems(contents, contents.config))


def _array(value: Any) -> Array:
    if isinstance(value, Array):
        return value
    dtype = "string" if value.dtype.hasobject else value.dtype.name
    return Array(tuple(value.shape), dtype, value.nbytes, lambda: value)


def _npy(path: str) -> Any:
    import numpy

    with open(path, "rb") as file:
        try:
            return numpy.lib.format.read_array(file, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise ValueError(f"{path} is no .npy file of numbers ({error}).") from error


def _set(contents: Contents, layer: str, argument: str, text: str) -> None:
    if contents.config is None:
        raise ValueError(f"{contents.path} has no config to change.")
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(
            f"{text!r} is not JSON ({error}). Texts need quotes inside the shell's: '\"relu\"'."
        ) from error
    record = contents.config if layer == "model" else renaming.find(contents.config, layer)[1]
    if argument == "name" and layer != "model":
        renaming.rename_layer(contents, layer, value)
        return
    config = record["config"]
    if argument not in config:
        raise ValueError(f"{record['class_name']} {layer!r} has no argument {argument!r}. It has: {', '.join(config)}.")
    config[argument] = value


def problems(contents: Contents, config: dict[str, Any]) -> list[str]:
    """Why a config does not describe a model with the weights of a file; empty when it does."""
    trial = copy.copy(contents)
    trial.config = config
    try:
        topology.read(config)
        return list(inspection.misfits(trial))
    except ValueError as error:
        return [str(error)]


def _refuse(found: list[str]) -> None:
    if found:
        raise ValueError("The config and the weights do not fit any more:\n  " + "\n  ".join(found))


def _in_editor(contents: Contents) -> dict[str, Any] | None:
    """The config as it came back from a text editor; None when nothing was changed."""
    if contents.config is None:
        raise ValueError(f"{contents.path} has no config. To change weights give options; see 'ksave edit --help'.")
    before = json.dumps(contents.config, indent=2, ensure_ascii=False)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "config.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(before)
        while True:
            _start_editor(path)
            with open(path, "rb") as file:
                text = file.read()
            if text == before.encode():
                return None
            try:
                config = config_of(text, "The edited config")
                found = problems(contents, config)
            except ValueError as error:
                found = [str(error)]
            if not found:
                return config
            if not _again(found):
                _refuse(found)


def _start_editor(path: str) -> None:
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        code = subprocess.call([*shlex.split(command), path])
    except OSError as error:
        raise ValueError(f"The editor {command!r} does not start ({error}). Set EDITOR to another.") from error
    if code:
        raise ValueError(f"The editor {command!r} ended with code {code}; nothing was changed.")


def _again(found: list[str]) -> bool:
    for problem in found:
        print(show.clean(problem), file=sys.stderr)
    if not (sys.stdin and sys.stdin.isatty()):
        return False
    return input("Go on editing? [y/n] ").strip().lower().startswith("y")
