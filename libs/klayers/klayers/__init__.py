"""Layers and models: define, build, run, save and load them. With the NumPy engine, a small inference runtime.

    import klayers
    model = klayers.Sequential([klayers.Input((4,)), klayers.Dense(3)])

What is public under `keras`, `keras.layers` and `keras.models` is here under its last name, found when it is first
used; `load_model` is that of ksave. `klayers.Model` and `klayers.Sequential` are the inference classes, also when
ktrain is installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_FROM_KSAVE = ("load_model", "save_model")


def _places() -> dict[str, str]:
    from klayers._public import NAMES

    found = {}
    for space in ("keras.models.", "keras.layers.", "keras."):
        for name, place in NAMES.items():
            if name.startswith(space) and "." not in name[len(space) :]:
                found[name[len(space) :]] = place
    return found


def __getattr__(name: str) -> Any:
    if name in _FROM_KSAVE:
        value = getattr(import_module("ksave"), name)
    else:
        place = None if name.startswith("_") else _places().get(name)
        if place is None:
            raise AttributeError(f"module 'klayers' has no attribute {name!r}")
        module, _, attribute = place.partition(":")
        value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_FROM_KSAVE, *_places()})
