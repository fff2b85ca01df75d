"""Tensors and ops on five engines: NumPy, JAX, PyTorch, TensorFlow and OpenVINO.

    import kops
    kops.matmul([[1.0, 2.0]], [[3.0], [4.0]])

Choose the engine with `KERAS_BACKEND` before the first import. Ops are loaded, and with them the engine, when they
are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_OWN = {
    "AutocastScope": "scopes",
    "Node": "operation",
    "Tensor": "declare",
    "Tensors": "declare",
    "composite": "declare",
    "functional": "declare",
    "primitive": "declare",
    "result_type": "dtypes",
    "standardize_dtype": "dtypes",
}
_MODULES = ("config", "dtypes", "promote", "random", "shapes", "tape", "tree")
_NAMESPACES = ("image", "linalg", "nn")


class _Namespace:
    """`kops.image.resize`: the ops of `keras.ops.image`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, op: str) -> Any:
        value = _found(f"{self._name}.{op}")
        if value is None:
            raise AttributeError(f"kops.{self._name} has no op {op!r}")
        setattr(self, op, value)
        return value


def _found(name: str) -> Any:
    from kops._public import NAMES

    module, _, attribute = (NAMES.get(f"keras.ops.{name}") or NAMES.get(f"keras.{name}") or "").partition(":")
    return getattr(import_module(module), attribute) if module else None


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"kops.{name}")
    value: Any
    if name in _NAMESPACES:
        value = _Namespace(name)
    elif name in _OWN:
        value = getattr(import_module(f"kops.{_OWN[name]}"), name)
    else:
        value = _found(name)
        if value is None:
            raise AttributeError(f"module 'kops' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    from kops._public import NAMES

    public = [name for place, _, name in (n.rpartition(".") for n in NAMES) if place in ("keras", "keras.ops")]
    return sorted({*globals(), *_OWN, *_MODULES, *_NAMESPACES, *public})
