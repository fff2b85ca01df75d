"""Placement over devices: meshes, layouts, data and model parallelism."""

from __future__ import annotations

__version__ = "0.1.0"
