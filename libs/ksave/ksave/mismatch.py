"""The message for weights that do not fit a model."""

from __future__ import annotations

import difflib
from typing import Any, NamedTuple

from ksave.limits import PrintableError
from ksave.stores import ReadStore, ShapeStore

_ROWS = 25
_COMPARED = 1000


class MismatchError(PrintableError, ValueError):
    """Weights do not fit the model."""


class Failure(NamedTuple):
    """A node that could not read its variables."""

    path: str
    node: Any
    store: ReadStore
    error: Exception


def expected_shapes(node: Any) -> dict[str, tuple[tuple[int, ...], str]]:
    """Shapes and dtypes a node would write, which is what it expects to read; empty when it cannot say."""
    shapes = ShapeStore()
    try:
        node.save_own_variables(shapes)
    except Exception:
        return {}  # the error of the failed load is shown in any case
    return shapes


def _rows(failure: Failure) -> list[tuple[str, str, str, str]]:
    expected = expected_shapes(failure.node)
    where = failure.path or "(model)"
    name = getattr(failure.node, "name", None)
    owner = f"layer {name!r}: " if isinstance(name, str) and name != where.rpartition("/")[2] else ""
    rows = []
    for key, (shape, _) in expected.items():
        if key not in failure.store:
            rows.append((f"{where}/{key}", str(shape), "-", f"{owner}missing in the file"))
        elif failure.store.shape(key) != shape:
            rows.append((f"{where}/{key}", str(shape), str(failure.store.shape(key)), f"{owner}another shape"))
    for key in failure.store:
        if expected and key not in expected:
            rows.append((f"{where}/{key}", "-", str(failure.store.shape(key)), f"{owner}not in the model"))
    if not rows:
        error = str(failure.error).strip().splitlines()
        rows.append((where, "", "", f"{type(failure.error).__name__}: {error[0] if error else ''}"))
    return rows


def report(name: str, failures: list[Failure], left: dict[str, dict[str, tuple[int, ...]]]) -> str:
    """One message for all failures.

    Args:
        name: the file.
        failures: the nodes that could not read.
        left: paths in the file that no node reads, with shapes.
    """
    # What is shown of many is enough to say what is wrong.
    rows = [row for failure in failures[:_ROWS] for row in _rows(failure)]
    lines = [f"{name} does not fit the model in {len(failures)} place(s):", ""]
    lines += table([("variable", "model", "file", ""), *rows[:_ROWS]])
    if len(rows) > _ROWS or len(failures) > _ROWS:
        lines.append(f"... and {max(len(rows), len(failures)) - _ROWS} more")
    unmatched = sorted(path for path in left if "optimizer" not in path.split("/"))
    for failure in failures[:_ROWS]:
        if not len(failure.store):
            near = nearest(failure.path, unmatched, cutoff=0.5)
            if near:
                lines.append(f"The file has no {failure.path!r}. Did it become {near[0]!r}?")
    if unmatched:
        lines.append(f"In the file and not in the model: {', '.join(unmatched[:_ROWS])}.")
    lines.append("Load with skip_mismatch=True to leave these as they are.")
    return "\n".join(lines)


def nearest(name: str, names: list[str], cutoff: float = 0.6) -> list[str]:
    """The name most like another one, if any is; of very many, only the first ones are looked at."""
    short = [other for other in names[:_COMPARED] if len(other) <= 2 * len(name) + 20]
    return difflib.get_close_matches(name[:_COMPARED], short, n=1, cutoff=cutoff)


def table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
