"""NumPy neither compiles nor differentiates."""

from __future__ import annotations

from typing import Any


def compiled(function: Any, arrays: list[Any], dynamic: bool) -> Any:
    return None
