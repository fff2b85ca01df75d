"""The table that `model.summary()` prints."""

from __future__ import annotations

import re
import shutil
import sys
from typing import Any

from kops import dtypes, tree

_WIDTHS = {3: (45, 80, 100), 4: (33, 55, 67, 100), 5: (33, 55, 67, 100, 112)}


def readable_size(count: float) -> str:
    """Bytes in the largest unit that leaves at least 1: `"1.50 KB"`."""
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if count < 1024 or unit == "TB":
            return f"{count:.2f} {unit}"
        count /= 1024
    raise AssertionError


def _count(variables: list[Any]) -> int:
    total = 0
    for v in variables:
        size = 1
        for d in v.shape:
            size *= d
        total += size
    return total


def _bytes(variables: list[Any]) -> float:
    return sum(_count([v]) * dtypes.itemsize(v.dtype) for v in variables)


def _output_shape(layer: Any) -> str:
    nodes = layer._inbound_nodes
    if not nodes:
        return "?"
    shapes = [str(x.shape) for x in nodes[0].outputs]
    return shapes[0] if len(shapes) == 1 else "[" + ", ".join(shapes) + "]"


def _params(layer: Any) -> str:
    if not getattr(layer, "built", True):
        return "0 (unbuilt)"
    return f"{layer.count_params():,}" if hasattr(layer, "count_params") else "0"


def _connections(layer: Any, relevant: set[int] | None) -> str:
    found = []
    for node in layer._inbound_nodes:
        if relevant is not None and id(node) not in relevant:
            continue
        for x in node.inputs:
            history = x._keras_history
            found.append(f"{history.operation.name}[{history.node_index}][{history.tensor_index}]")
    return ", ".join(found) or "-"


def _is_chain(model: Any) -> bool:
    """Whether the layers follow each other, so that a column of connections would say nothing."""
    function = getattr(model, "_function", None)
    if function is None:
        return True
    return all(len(tree.flatten((n.args, n.kwargs))) <= 1 or len(n.inputs) <= 1 for n in function.nodes) and all(
        len(op._inbound_nodes) <= 1 and len(op._outbound_nodes) <= 1 for op in model.operations
    )


def _rows(model: Any, depth: int, options: dict[str, Any]) -> list[list[str]]:
    rows = []
    function = getattr(model, "_function", None)
    relevant = {id(n) for n in function.nodes} if function is not None else None
    layers = getattr(model, "operations", None) if function is not None else model.layers
    for layer in layers:  # type: ignore[union-attr]
        mark = "  " * depth + ("└ " if depth else "")
        row = [f"{mark}{layer.name} ({type(layer).__name__})", _output_shape(layer), _params(layer)]
        if type(layer).__name__ == "OpNode":
            row[0] = f"{mark}{layer.name} ({layer.class_path[1]})"
        if options["connected"]:
            row.append(_connections(layer, relevant) if depth == 0 else "-")
        if options["show_trainable"]:
            weights = getattr(layer, "weights", [])
            row.append(("Y" if layer.trainable else "N") if weights else "-")
        rows.append(row)
        if options["expand_nested"] and hasattr(layer, "layers") and layer.layers:
            rows.extend(_rows(layer, depth + 1, options))
    return rows


def print_summary(
    model: Any,
    line_length: int | None = None,
    positions: Any = None,
    print_fn: Any = None,
    expand_nested: bool = False,
    show_trainable: bool = False,
    layer_range: Any = None,
) -> None:
    """Print the table. See `Model.summary`.

    Args:
        line_length: width in characters; default that of the terminal, at least 88.
        positions: relative or absolute ends of the columns.
        print_fn: called with the whole text instead of printing it.
        layer_range: two names or regular expressions: first and last layer to show.
    """
    connected = not _is_chain(model)
    headers = ["Layer (type)", "Output Shape", "Param #"]
    if connected:
        headers.append("Connected to")
    if show_trainable:
        headers.append("Trai…")
    width = line_length or max(88, min(shutil.get_terminal_size((88, 24)).columns, 120))
    ends = list(positions or _WIDTHS[len(headers)][: len(headers)])
    scale = width / ends[-1]
    ends = [int(e * scale) for e in ends]
    widths = [b - a - 3 for a, b in zip([0, *ends[:-1]], ends)]
    options = {"connected": connected, "show_trainable": show_trainable, "expand_nested": expand_nested}
    rows = _rows(model, 0, options)
    if layer_range is not None:
        rows = _select(rows, layer_range)
    text = "\n".join([f'Model: "{model.name}"', *_table(headers, rows, widths), *_totals(model)])
    if print_fn is not None:
        print_fn(text)
    else:
        sys.stdout.write(text + "\n")


def _select(rows: list[list[str]], layer_range: Any) -> list[list[str]]:
    if len(layer_range) != 2:
        raise ValueError(f"layer_range is a pair of layer names (or regular expressions), not {layer_range!r}.")
    names = [r[0].strip("└ ").split(" ")[0] for r in rows]
    found = []
    for pattern, order in ((layer_range[0], 1), (layer_range[1], -1)):
        matches = [i for i, n in enumerate(names) if re.fullmatch(pattern, n) or n == pattern]
        if not matches:
            raise ValueError(f"layer_range: no layer is named {pattern!r}; the model has {', '.join(names)}.")
        found.append(matches[0] if order == 1 else matches[-1])
    return rows[found[0] : found[1] + 1]


def _table(headers: list[str], rows: list[list[str]], widths: list[int]) -> list[str]:
    right = 2  # the column of numbers

    def line(cells: list[str], bar: str) -> list[str]:
        wrapped = [_wrap(c, w) for c, w in zip(cells, widths)]
        height = max(len(w) for w in wrapped)
        lines = []
        for k in range(height):
            parts = []
            for i, (cell, w) in enumerate(zip(wrapped, widths)):
                text = cell[k] if k < len(cell) else ""
                parts.append(f" {text:>{w}} " if i == right else f" {text:<{w}} ")
            lines.append(bar + bar.join(parts) + bar)
        return lines

    def rule(left: str, fill: str, middle: str, end: str) -> str:
        return left + middle.join(fill * (w + 2) for w in widths) + end

    result = [rule("┏", "━", "┳", "┓"), *line(headers, "┃"), rule("┡", "━", "╇", "┩")]
    for i, row in enumerate(rows):
        if i:
            result.append(rule("├", "─", "┼", "┤"))
        result.extend(line(row, "│"))
    return [*result, rule("└", "─", "┴", "┘")]


def _wrap(text: str, width: int) -> list[str]:
    lines = []
    for piece in text.split(", ") if len(text) > width and ", " in text and "(None" not in text else [text]:
        while len(piece) > width:
            lines.append(piece[:width])
            piece = piece[width:]
        if lines and len(lines[-1]) + len(piece) + 2 <= width and len(text) > width and len(lines[-1]) < width:
            lines[-1] += ", " + piece
        else:
            lines.append(piece)
    return lines


def _totals(model: Any) -> list[str]:
    trainable, others = model.trainable_variables, model.non_trainable_variables
    seeds = {id(v) for v in others} - {id(v) for v in model.weights}
    others = [v for v in others if id(v) not in seeds]
    optimizer = getattr(model, "optimizer", None)
    state = list(optimizer.variables) if optimizer is not None and getattr(optimizer, "built", False) else []
    parts = [("Total", trainable + others + state), ("Trainable", trainable), ("Non-trainable", others)]
    if state:
        parts.append(("Optimizer", state))
    return [f" {name} params: {_count(vs):,} ({readable_size(_bytes(vs))})" for name, vs in parts]
