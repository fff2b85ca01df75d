"""Known architectures with their pretrained weights, and the preprocessing that belongs to them."""

from __future__ import annotations

__version__ = "0.1.0"
