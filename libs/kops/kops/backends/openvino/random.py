"""Random bits are drawn on the host: eager tensors are NumPy arrays, and graphs are for inference."""

from __future__ import annotations

from kops.backends.numpy.random import seed_native

__all__ = ["seed_native"]
