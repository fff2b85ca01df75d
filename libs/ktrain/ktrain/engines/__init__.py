"""What differs between engines in training. `load()` gives the active one's module; see `ktrain.engines.protocol`."""

from __future__ import annotations

import importlib
from typing import Any

from kops.config import settings
from kops.engine import engine

_loaded: Any = None


def load() -> Any:
    """The training side of the active engine."""
    global _loaded
    if _loaded is None:
        engine()  # an engine that is not installed is explained there
        _loaded = importlib.import_module(f"ktrain.engines.{settings.backend}")
    return _loaded
