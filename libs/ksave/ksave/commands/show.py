"""Tables, trees and sizes on standard output: by rich where it is installed, in plain text otherwise."""

from __future__ import annotations

import json
import sys
from typing import Any, Iterable, Sequence

Row = Sequence[str]


def clean(text: str) -> str:
    """A name from a file without what a terminal would obey."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def line(text: str = "") -> None:
    """Print a line."""
    print(clean(text))


def as_json(found: Any) -> None:
    """Print JSON. Numbers that JSON does not have become texts."""
    print(json.dumps(_plain(found), indent=2, ensure_ascii=not _unicode(), default=lambda other: None))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value


def size(count: float) -> str:
    """Bytes as people say them."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(count) < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:.0f} B" if unit == "B" else f"{count:.2f} {unit}"


def table(title: str, head: Row, rows: Iterable[Row], right: Iterable[str] = ()) -> None:
    """Print a table.

    Args:
        title: its heading.
        head: the names of the columns.
        rows: the cells; they are shown as they are, whatever markup is in them.
        right: names of columns that hold numbers.
    """
    cells = [[clean(cell) for cell in row] for row in rows]
    if not cells:
        return
    numbers = set(right)
    try:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        _plain_table(title, head, cells, numbers)
        return
    shown = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for index, name in enumerate(head):
        # The first column may hold the lines of a tree, which do not bear wrapping.
        shown.add_column(name, justify="right" if name in numbers else "left", overflow="fold", no_wrap=not index)
    for row in cells:
        shown.add_row(*(Text(cell) for cell in row))
    console = Console()
    if not console.is_terminal:
        # Into a pipe or a file nothing is cut to the width of a terminal that is not there.
        console = Console(width=Console(width=100_000).measure(shown).maximum)
    console.print()
    console.print(shown)


def _plain_table(title: str, head: Row, rows: Sequence[Row], numbers: set[str]) -> None:
    widths = [max(len(row[index]) for row in [head, *rows]) for index in range(len(head))]
    print(f"\n{title}")
    for row in [head, *rows]:
        cells = [
            cell.rjust(width) if name in numbers else cell.ljust(width) for name, cell, width in zip(head, row, widths)
        ]
        print("  " + "  ".join(cells).rstrip())


def branches(depths: Sequence[int]) -> list[str]:
    """The lines of a tree that stand before its rows, from the depth of each row."""
    found = []
    open_levels: set[int] = set()  # levels of which another row comes further down
    for depth in reversed(depths):
        open_levels = {level for level in open_levels if level <= depth}
        lines = ["│  " if level in open_levels else "   " for level in range(1, depth)]
        end = ["├─ " if depth in open_levels else "└─ "] if depth else []
        found.append("".join(lines + end))
        open_levels.add(depth)
    return found[::-1]


def _unicode() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") in ("utf8", "utf16")
