"""What each engine has for devices and shards; `placing()` is the active one's module."""

from __future__ import annotations

import importlib
from typing import Any

from kops.config import settings


def placing() -> Any:
    """The module of the active engine: `jax`, or `single_device` for the others."""
    name = "jax" if settings.backend == "jax" else "single_device"
    return importlib.import_module(f"kdistribute.engines.{name}")
