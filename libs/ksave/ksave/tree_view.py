"""A tree of objects and arrays as text for terminals and as HTML for notebooks."""

from __future__ import annotations

import html
import math
from typing import Any, Iterator

_STYLE = (
    "font-family: var(--jp-code-font-family, monospace); font-size: 13px; line-height: 1.6; color: inherit; "
    "border-left: 1px solid rgba(128, 128, 128, .4); margin: 0 0 0 7px; padding: 0 0 0 14px; list-style: none"
)
_FAINT = "opacity: .65"


def text_lines(tree: dict[str, Any], indent: str = "") -> Iterator[str]:
    """One line for each object and array.

    Args:
        tree: names to arrays (with `shape` and `dtype`) or to trees.
        indent: what stands before each line.
    """
    for index, (key, value) in enumerate(tree.items()):
        last = index == len(tree) - 1
        branch = indent + ("└─ " if last else "├─ ")
        if isinstance(value, dict):
            yield branch + _printable(key)
            yield from text_lines(value, indent + ("   " if last else "│  "))
        else:
            yield f"{branch}{_printable(key)}: shape={tuple(value.shape)}, dtype={dtype_name(value)}"


def as_html(title: str, subtitle: str, tree: dict[str, Any]) -> str:
    """The same as HTML, in which objects open and close; large trees begin closed.

    Args:
        title: the heading.
        subtitle: a faint line below it.
        tree: see `text_lines`.
    """
    opened = " open" if sum(1 for _ in text_lines(tree)) <= 100 else ""
    count, size = _totals(tree)
    head = f"<b>{_escape(title)}</b><br><span style='{_FAINT}'>{_escape(subtitle)}{_amount(count, size)}</span>"
    return f"<div>{head}<ul style='{_STYLE}; border: none; margin: 0; padding: 0'>{_items(tree, opened)}</ul></div>"


def dtype_name(array: Any) -> str:
    """The name of an array's dtype."""
    return str(getattr(array.dtype, "name", array.dtype))


def _items(tree: dict[str, Any], opened: str) -> str:
    parts = []
    for key, value in tree.items():
        if isinstance(value, dict):
            faint = f" <span style='{_FAINT}'>{_amount(*_totals(value))}</span>"
            inner = f"<ul style='{_STYLE}'>{_items(value, opened)}</ul>"
            parts.append(f"<li><details{opened}><summary>{_escape(key)}{faint}</summary>{inner}</details></li>")
        else:
            shape = f"{tuple(value.shape)} {dtype_name(value)}"
            parts.append(f"<li>{_escape(key)} <span style='{_FAINT}'>{_escape(shape)}</span></li>")
    return "".join(parts)


def _totals(tree: dict[str, Any]) -> tuple[int, int]:
    count = size = 0
    for value in tree.values():
        inner = _totals(value) if isinstance(value, dict) else (math.prod(value.shape), value.nbytes)
        count, size = count + inner[0], size + inner[1]
    return count, size


def _amount(count: int, size: int) -> str:
    return f"{count:,} numbers, {size / 1e6:,.2f} MB" if size >= 10_000 else f"{count:,} numbers, {size:,} bytes"


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def _escape(text: str) -> str:
    return html.escape(_printable(text))
