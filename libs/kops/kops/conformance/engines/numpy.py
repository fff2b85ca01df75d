"""NumPy neither compiles nor differentiates."""

from __future__ import annotations

from typing import Any


def compiled(function: Any, arrays: list[Any], dynamic: bool) -> Any:
    return None


def native_names(function: Any, arrays: list[Any]) -> set[str]:
    function(*arrays)
    return set()
