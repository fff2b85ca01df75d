"""The command line: `python -m ksave inspect|verify FILE`."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Sequence

from ksave import inspection


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when all is well, 1 when a file has problems, 2 for wrong use."""
    parser = argparse.ArgumentParser("ksave", description="Look into Keras files without a framework.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("inspect", "show layers, weights, sizes and versions"),
        ("verify", "read all of the file and say what is wrong with it"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("files", nargs="+", metavar="FILE", help=".keras, .weights.h5 or .h5")
        command.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    run = _inspect if options.command == "inspect" else _verify
    return run(options.files, options.json)


def _inspect(files: list[str], as_json: bool) -> int:
    found = []
    for path in files:
        try:
            found.append(inspection.inspect(path))
        except (ValueError, OSError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 1
    if as_json:
        print(inspection.as_json(found if len(found) > 1 else found[0]))
        return 0
    for entry in found:
        _show(entry)
    return 0


def _verify(files: list[str], as_json: bool) -> int:
    problems = {path: inspection.verify(path) for path in files}
    if as_json:
        print(inspection.as_json(problems))
    else:
        for path, found in problems.items():
            print(f"{path}: {'ok' if not found else ''}")
            for problem in found:
                print(f"  {problem}")
    return 1 if any(problems.values()) else 0


def _show(found: dict[str, Any]) -> None:
    size = f"{found['bytes'] / 1e6:,.2f} MB"
    print(f"{found['file']}  ({found['kind']}, {size}, {found['parameters']:,} parameters)")
    for key in ("keras_version", "date_saved", "model", "compiled"):
        if key in found:
            print(f"  {key}: {found[key]}")
    if found["assets"]:
        print(f"  assets: {', '.join(found['assets'])}")
    layers = [("  " * layer["depth"] + layer["name"], layer["class"]) for layer in found.get("layers", ())]
    _table("Layers", ("name", "class"), layers)
    weights = [
        (entry["path"], entry["name"], str(tuple(entry["shape"])), entry["dtype"], f"{entry['bytes']:,}")
        for entry in found["weights"]
    ]
    _table("Weights", ("path", "owner", "shape", "dtype", "bytes"), weights)


def _table(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """A table by rich where it is installed, plain columns otherwise."""
    if not rows:
        return
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        widths = [max(len(row[index]) for row in [head, *rows]) for index in range(len(head))]
        print(f"\n{title}")
        for row in [head, *rows]:
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        return
    table = Table(title=title, title_justify="left")
    for name in head:
        table.add_column(name, justify="right" if name == "bytes" else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # Text: names in a file are no markup
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
