"""Tensors and operations with one meaning on five engines: NumPy, JAX, PyTorch, TensorFlow and OpenVINO."""

from __future__ import annotations

__version__ = "0.1.0"
