"""`ksave inspect`: what is in a file."""

from __future__ import annotations

import argparse
from typing import Any

from ksave import inspection
from ksave.commands import show

HELP = "show the layers, weights, sizes and versions in files"
EXAMPLES = """\
examples:
  ksave inspect model.keras
  ksave inspect --weights model.keras        every array, too
  ksave inspect --json *.keras | jq '.[].parameters'
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=".keras, .h5, .npz or .safetensors file")
    parser.add_argument("--weights", action="store_true", help="list every array")
    parser.add_argument("--json", action="store_true", help="print JSON; a list when there are several files")


def run(options: argparse.Namespace) -> int:
    """Describe the files."""
    found = [inspection.inspect(path) for path in options.files]
    if options.json:
        show.as_json(found if len(found) > 1 else found[0])
        return 0
    for entry in found:
        _show(entry, options.weights)
    return 0


def _show(found: dict[str, Any], weights: bool) -> None:
    show.line(f"{found['file']}  ({found['kind']}, {show.size(found['bytes'])})")
    if "keras_version" in found:
        saved = f", saved {found['date_saved']}" if "date_saved" in found else ""
        show.line(f"  written by Keras {found['keras_version']}{saved}")
    compiled = f", compiled with {found.get('optimizer', 'no optimizer')}" if found.get("compiled") else ""
    model = f"{found['model']}, " if "model" in found else ""
    show.line(f"  {model}{found['parameters']:,} parameters{compiled}")
    if found["optimizer_bytes"]:
        show.line(f"  state of the optimizer: {show.size(found['optimizer_bytes'])}")
    for name in found["assets"]:
        show.line(f"  {name}")
    layers = found.get("layers", [])
    if layers:
        lines = show.branches([layer["depth"] for layer in layers])
        show.table("Layers", _LAYER_HEAD, [_layer_row(*pair) for pair in zip(lines, layers)], ("parameters", "size"))
    if weights or not layers:
        rows = [
            (entry["path"], entry["name"], _shape(entry["shape"]), entry["dtype"], show.size(entry["bytes"]))
            for entry in found["weights"]
        ]
        show.table("Weights", ("path", "owner", "shape", "dtype", "size"), rows, ("size",))


_LAYER_HEAD = ("layer", "class", "weights", "dtype", "parameters", "size")


def _layer_row(line: str, layer: dict[str, Any]) -> tuple[str, ...]:
    frozen = "" if layer["trainable"] else " (frozen)"
    shapes = " ".join(map(_shape, layer["shapes"]))
    count = f"{layer['parameters']:,}" if layer["parameters"] else ""
    size = show.size(layer["bytes"]) if layer["bytes"] else ""
    return (line + layer["name"] + frozen, layer["class"], shapes, " ".join(layer["dtypes"]), count, size)


def _shape(shape: list[int]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
