"""Training: `compile`, `fit`, `evaluate`, `predict`, losses, metrics, optimizers, callbacks and data adapters."""

from __future__ import annotations

__version__ = "0.1.0"
