"""Export of models to other runtimes; each export is checked by running it."""

from __future__ import annotations

__version__ = "0.1.0"
