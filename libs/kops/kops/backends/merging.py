"""One table of kernels from the families' tables."""

from __future__ import annotations

from typing import Any, Callable, Iterable


def merge_tables(modules: Iterable[Any]) -> dict[str, Callable[..., Any]]:
    """The union of the modules' `TABLE`s; an op stands in one family only."""
    merged: dict[str, Callable[..., Any]] = {}
    for module in modules:
        twice = merged.keys() & module.TABLE.keys()
        if twice:
            raise ValueError(f"{module.__name__} binds ops that are bound already: {', '.join(sorted(twice))}.")
        merged.update(module.TABLE)
    return merged
