"""Read, check, edit and write `.keras`, `.weights.h5` and legacy `.h5` files safely, with no framework installed."""

from __future__ import annotations

__version__ = "0.1.0"
