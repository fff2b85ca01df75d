"""Write models for other runtimes: ONNX and TensorFlow's SavedModel; every export is run and compared after writing."""

from __future__ import annotations

__version__ = "0.1.0"
