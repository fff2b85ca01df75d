"""Quantization: weights in fewer bits, and inference on them without the training library."""

from __future__ import annotations

__version__ = "0.1.0"
