"""Where two files differ: in layers, in the arguments of layers, in weights."""

from __future__ import annotations

import math
from typing import Any, Callable, Iterator

from ksave import topology
from ksave.contents import Array, Contents

_PIECE = 1 << 20  # elements that are compared at a time
# Numbers that are given out anew at each save.
_IGNORED = ("shared_object_id",)


class Missing:
    """Stands for a value that one side does not have."""

    def __repr__(self) -> str:
        return "-"


MISSING = Missing()


def compare(
    first: Contents,
    second: Contents,
    configs: bool = True,
    optimizer: bool = True,
    rtol: float = 0.0,
    atol: float = 0.0,
    progress: Callable[[int], None] = lambda count: None,
) -> dict[str, Any]:
    """Compare what two open files hold.

    Args:
        first, second: the files.
        configs: compare configs and other files, too, where both have them.
        optimizer: compare the state of the optimizer.
        rtol, atol: numbers are equal when `|a - b| <= atol + rtol * |a|`.
        progress: called with the bytes of each array when it was compared.

    Returns:
        `layers` (added, removed, or of another class), `config` (where, first, second), `weights` (path, change,
        and for other values `max` and `relative`), `assets`, `equal` (number of arrays).
    """
    found: dict[str, Any] = {"layers": [], "config": [], "weights": [], "assets": [], "equal": 0}
    if configs and first.config is not None and second.config is not None:
        found["layers"], found["config"] = _configs(first.config, second.config)
    if configs and first.kind == second.kind == "model":
        found["assets"] = list(_assets(first, second))
    one, two = _wanted(first, optimizer), _wanted(second, optimizer)
    for name in {**one, **two}:
        if name not in two or name not in one:
            side, array = ("removed", one[name]) if name in one else ("added", two[name])
            found["weights"].append({"path": name, "change": f"{side}: {array.dtype} {array.shape}"})
            continue
        change = _difference(one[name], two[name], rtol, atol)
        progress(one[name].nbytes)
        if change is None:
            found["equal"] += 1
        else:
            found["weights"].append({"path": name, **change})
    return found


def _wanted(contents: Contents, optimizer: bool) -> dict[str, Array]:
    return {name: array for name, array in contents.arrays.items() if optimizer or name.split("/")[0] != "optimizer"}


def _difference(one: Array, two: Array, rtol: float, atol: float) -> dict[str, Any] | None:
    if one.shape != two.shape:
        return {"change": f"shape {one.shape} became {two.shape}"}
    dtype = "" if one.dtype == two.dtype else f"dtype {one.dtype} became {two.dtype}"
    a, b = _flat(one), _flat(two)
    if a.dtype.kind not in "biufcV" or b.dtype.kind not in "biufcV" or _opaque(a) or _opaque(b):
        same = a.tobytes() == b.tobytes() if _opaque(a) or _opaque(b) else bool((a == b).all())
        if same and not dtype:
            return None
        return {"change": dtype or "other values"}
    largest, square, norm, unequal = 0.0, 0.0, 0.0, 0
    for start in range(0, a.size, _PIECE):
        part = _measure(a[start : start + _PIECE], b[start : start + _PIECE], rtol, atol)
        largest, square = max(largest, part[0]), square + part[1]
        norm, unequal = norm + part[2], unequal + part[3]
    if not unequal:
        return {"change": dtype} if dtype else None
    relative = math.sqrt(square / norm) if norm else math.inf
    change = f"{unequal} of {a.size} numbers" + (f", {dtype}" if dtype else "")
    return {"change": change, "max": largest, "relative": relative}


def _flat(array: Array) -> Any:
    import numpy

    return numpy.asarray(array.read()).reshape(-1)


def _opaque(array: Any) -> bool:
    import numpy

    return array.dtype.type is numpy.void


def _measure(a: Any, b: Any, rtol: float, atol: float) -> tuple[float, float, float, int]:
    """Largest difference, squared norms of the difference and of `a`, number of unequal elements."""
    import numpy

    wide = "complex128" if "c" in a.dtype.kind + b.dtype.kind else "float64"
    x, y = a.astype(wide), b.astype(wide)
    both_nan = numpy.isnan(x) & numpy.isnan(y)
    same = (x == y) | both_nan
    if a.dtype.kind in "iu" and b.dtype.kind in "iu":
        same = a == b  # int64 does not fit into float64
    with numpy.errstate(invalid="ignore", over="ignore"):
        delta = numpy.where(same, 0, numpy.abs(x - y))
        # Integers can differ where nothing of it is left in float64; that is no small difference, but an unknown one.
        unequal = ~same & ~((delta > 0) & (delta <= atol + rtol * numpy.abs(x)))
        largest = float(numpy.max(delta, initial=0.0, where=~numpy.isnan(delta)))
        if numpy.isnan(delta).any():
            largest = math.inf  # a number against one that is none
        size = numpy.abs(numpy.where(numpy.isfinite(x), x, 0))
        return largest, float(numpy.sum(delta**2)), float(numpy.sum(size**2)), int(unequal.sum())


def _assets(first: Contents, second: Contents) -> Iterator[dict[str, str]]:
    for name in {**first.assets, **second.assets}:
        if name not in second.assets:
            yield {"change": "removed", "name": name}
        elif name not in first.assets:
            yield {"change": "added", "name": name}
        else:
            with first.assets[name]() as one, second.assets[name]() as two:
                if not _same_bytes(one, two):
                    yield {"change": "changed", "name": name}


def _same_bytes(one: Any, two: Any) -> bool:
    while True:
        a, b = one.read(_PIECE), two.read(_PIECE)
        if a != b or not a:
            return bool(a == b)


def _configs(one: dict[str, Any], two: dict[str, Any]) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    a, b = _by_name(topology.read(one)), _by_name(topology.read(two))
    layers: list[dict[str, str]] = []
    config: list[dict[str, Any]] = []
    renamed = _renamed(a, b)
    for name in {**a, **{name: layer for name, layer in b.items() if name not in renamed.values()}}:
        other = renamed.get(name, name)
        if other not in b or name not in a:
            change, layer = ("removed", a[name]) if name in a else ("added", b[name])
            layers.append({"change": change, "name": name, "class": layer.class_name})
        elif a[name].class_name != b[other].class_name:
            classes = f"{a[name].class_name} became {b[other].class_name}"
            layers.append({"change": "other class", "name": name, "class": classes})
        else:
            if a[name].name != b[other].name:
                row = {"change": "renamed", "name": f"{name} became {other}", "class": a[name].class_name}
                layers.append(row)
            config += _differences(_own(a[name]), _own(b[other]), name)
    config += _differences(one.get("compile_config"), two.get("compile_config"), "compile")
    names = {(old.rpartition("/")[2], new.rpartition("/")[2]) for old, new in renamed.items()}
    # Where a layer only has another name, the references to it do not differ.
    return layers, [row for row in config if not _is_reference(row, names)]


def _renamed(a: dict[str, topology.Layer], b: dict[str, topology.Layer]) -> dict[str, str]:
    """Layers of one model to those that have the place and class, but not the name, in the other."""
    places = {layer.path: name for name, layer in b.items() if name not in a}
    found = {name: places[layer.path] for name, layer in a.items() if name not in b and layer.path in places}
    return {old: new for old, new in found.items() if a[old].class_name == b[new].class_name}


def _is_reference(row: dict[str, Any], names: set[tuple[str, str]]) -> bool:
    if not isinstance(row["first"], str) or not isinstance(row["second"], str):
        return False
    return (row["first"], row["second"]) in names and row["where"].endswith(("_history[0]", "[0]", ".name"))


def _by_name(model: topology.Layer) -> dict[str, topology.Layer]:
    """Layers by their name, with those of the layers around them; the model itself is "(model)"."""
    found = {"(model)": model}

    def visit(layer: topology.Layer, prefix: str) -> None:
        for child in layer.children:
            name = f"{prefix}{child.name}"
            found[name] = child
            visit(child, f"{name}/")

    visit(model, "")
    return found


def _own(layer: topology.Layer) -> dict[str, Any]:
    """The config of a layer without that of the layers in it, which are compared for themselves."""
    config = dict(layer.config)
    for key in ("layers", "layer", "backward_layer", "cell", "cells") if layer.children else ():
        config.pop(key, None)
    calls = {"inbound_nodes": layer.record["inbound_nodes"]} if "inbound_nodes" in layer.record else {}
    return {**config, **calls}


def _differences(one: Any, two: Any, where: str) -> Iterator[dict[str, Any]]:
    if isinstance(one, dict) and isinstance(two, dict):
        for key in {**one, **two}:
            if key not in _IGNORED:
                yield from _differences(one.get(key, MISSING), two.get(key, MISSING), f"{where}.{key}")
    elif isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        for index, (a, b) in enumerate(zip(one, two)):
            yield from _differences(a, b, f"{where}[{index}]")
    elif one != two and not (one != one and two != two):
        yield {"where": where, "first": one, "second": two}
