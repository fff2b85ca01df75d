"""Attributes of the `keras` namespaces, found when they are first touched (PEP 562).

`import keras` therefore imports no layer and no engine. Names come from the tables of the installed
libraries (`kspec.resolve`), so `keras.Model` is the trainable class when ktrain is there and the inference
class otherwise.
"""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any, Callable

import kspec

_TF_TREE = "keras._tf_keras.keras"


@functools.cache
def _namespaces() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in kspec.known_names():
        namespace, _, last = name.rpartition(".")
        found.setdefault(namespace, []).append(last)
    return {namespace: tuple(sorted(names)) for namespace, names in found.items()}


def attach(
    module: str, namespace: str, submodules: tuple[str, ...]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make `__getattr__` and `__dir__` of one generated module.

    Args:
        module: the module's own `__name__`. It differs from `namespace` in the mirror for TensorFlow, which
            loads the same files as `tensorflow.keras` and as `keras._tf_keras.keras`.
        namespace: the public namespace that it shows, as `"keras.layers"`.
        submodules: the namespaces below it.
    """
    searched = [namespace]
    if module.split(".")[0] == "tensorflow" or module.startswith(_TF_TREE):
        searched.insert(0, _TF_TREE + namespace[len("keras") :])  # names that only tf.keras has

    def names() -> list[str]:
        found = {name for space in searched for name in _namespaces().get(space, ())}
        return sorted(found.union(submodules))

    def find(name: str) -> Any:
        if name in submodules:
            return importlib.import_module(f"{module}.{name}")
        if name == "__all__":
            return names()
        if name.startswith("__"):  # what Python's own machinery asks for
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        for space in searched:
            if name in _namespaces().get(space, ()):
                return kspec.resolve(f"{space}.{name}")
        try:
            return kspec.resolve(f"{namespace}.{name}")
        except kspec.UnknownName as error:
            raise AttributeError(f"module {module!r} has no attribute {name!r}. {error}") from None

    def __getattr__(name: str) -> Any:
        found = find(name)
        setattr(sys.modules[module], name, found)
        return found

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[module]), *names()} - {"attach", "kops"})

    return __getattr__, __dir__
