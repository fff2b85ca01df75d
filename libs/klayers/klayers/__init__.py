"""Layers and models: define, build, run, save and load them. With the NumPy engine, a small inference runtime."""

from __future__ import annotations

__version__ = "0.1.0"
