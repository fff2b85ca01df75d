"""Architectures with pretrained weights, and what belongs to them: preprocessing and decoding of predictions."""

from __future__ import annotations

__version__ = "0.1.0"
