"""Rematerialization: computing intermediate results again in the backward pass instead of keeping them."""

from __future__ import annotations

from typing import Any, Callable

from kops.engine import engine
from kops.scopes import ambient
from kspec import public

_MODES = (None, "full", "activations", "larger_than", "list_of_layers")


@public("keras.RematScope")
class RematScope:
    """Layers called within it save memory by recomputing.

    Args:
        mode: "full", "activations", "larger_than" (outputs larger than the threshold), "list_of_layers", or None
            to switch an outer scope off.
        output_size_threshold: elements, for "larger_than".
        layer_names: for "list_of_layers".
    """

    def __init__(self, mode: str | None = "full", output_size_threshold: int = 1024, layer_names: Any = None) -> None:
        if mode not in _MODES:
            raise ValueError(f"mode must be one of {_MODES}, not {mode!r}.")
        self.mode = mode
        self.output_size_threshold = output_size_threshold
        self.layer_names = list(layer_names or ())

    def __enter__(self) -> RematScope:
        ambient.remat = (*ambient.remat, self)
        return self

    def __exit__(self, *exc: Any) -> None:
        ambient.remat = ambient.remat[:-1]


def current_remat_mode() -> RematScope | None:
    """The innermost RematScope, or None."""
    return ambient.remat[-1] if ambient.remat else None


@public("keras.remat")
def remat(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f`, with its intermediate results recomputed in the backward pass (on NumPy and OpenVINO: `f` itself)."""
    return engine().remat(f)
