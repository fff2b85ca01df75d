"""Finds the ops and their rows."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import Any

import kops.conformance
import kops.ops
from kops.conformance.rows import Row
from kops.declare import OPS
from kspec import public_names

_MACHINERY = {"suite", "rows", "collect", "trial", "samples", "agreement", "engines", "conftest"}


def _modules(package: Any) -> list[str]:
    names = [m.name for m in pkgutil.iter_modules(package.__path__)]
    return [n for n in names if n not in _MACHINERY and not n.endswith("_test")]


def families() -> list[str]:
    """The modules with rows."""
    return _modules(kops.conformance)


def load_family(name: str) -> Any:
    """The module of rows `name`."""
    return importlib.import_module(f"kops.conformance.{name}")


def op_families() -> list[str]:
    """The modules that declare ops."""
    return _modules(kops.ops)


def load_ops(name: str) -> Any:
    """The module that declares the ops of a family."""
    return importlib.import_module(f"kops.ops.{name}")


@functools.cache
def _loaded() -> dict[str, list[Row]]:
    for name in op_families():
        _try(load_ops, name)
    rows: dict[str, list[Row]] = {}
    for name in families():
        module = _try(load_family, name)
        for row in getattr(module, "ROWS", ()):
            rows.setdefault(f"{name}.{row.op}", []).append(row)
    return rows


def _try(load: Any, name: str) -> Any:
    # A family that does not load fails its own test (`test_loads`) and must not hide the others.
    try:
        return load(name)
    except Exception:
        return None


def rows() -> dict[str, list[Row]]:
    """`{"family.op": its rows}`."""
    return _loaded()


def exempt() -> dict[str, str]:
    """Ops without rows, with the reason: the `EXEMPT` of all families."""
    merged: dict[str, str] = {}
    for name in families():
        merged.update(getattr(_try(load_family, name), "EXEMPT", {}))
    return merged


def public_ops() -> list[str]:
    """The names of all ops that users can call."""
    _loaded()
    return sorted(name for name, op in OPS.items() if public_names(op.function))
