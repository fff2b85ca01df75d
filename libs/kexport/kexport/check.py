"""The last step of every export: what was written is run, and must agree with the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops import tree
from kops.engine import engine


class ExportMismatch(ValueError):
    """What was written computes something else than the model."""


def model_outputs(model: Any, inputs: Any) -> list[np.ndarray]:
    """The model's inference outputs on arrays, flat."""
    kwargs = {"training": False} if model._call_signature.takes_training else {}
    return [np.asarray(engine().to_numpy(x)) for x in tree.flatten(model(inputs, **kwargs))]


def compare(what: str, got: list[Any], want: list[Any], tolerance: float = 1e-3) -> None:
    """Raise `ExportMismatch` unless the outputs agree, relative to their size."""
    if len(got) != len(want):
        raise ExportMismatch(f"The {what} file has {len(got)} outputs, the model {len(want)}.")
    for i, (g, w) in enumerate(zip(got, want)):
        g, w = np.asarray(g, "float64"), np.asarray(w, "float64")
        if g.shape != w.shape:
            raise ExportMismatch(f"Output {i} of the {what} file has shape {g.shape}, the model's {w.shape}.")
        if w.size and not np.allclose(g, w, rtol=tolerance, atol=tolerance * max(1.0, float(np.abs(w).max()))):
            worst = float(np.nanmax(np.abs(g - w)))
            raise ExportMismatch(f"Output {i} of the {what} file differs from the model's by up to {worst:.3g}.")
