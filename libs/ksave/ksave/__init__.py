"""Read, check and write `.keras`, `.weights.h5` and legacy `.h5` files safely, with no framework installed.

The names below are resolved when they are first used; importing this package imports nothing heavy.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_PLACES = {
    "CustomObjectScope": "registry",
    "custom_object_scope": "registry",
    "get_custom_objects": "registry",
    "get_registered_name": "registry",
    "get_registered_object": "registry",
    "register_keras_serializable": "registry",
    "serialize_keras_object": "serialize",
    "object_sharing": "serialize",
    "deserialize_keras_object": "deserialize",
    "Loader": "deserialize",
    "in_safe_mode": "deserialize",
    "claim_call": "deserialize",
    "claim_variable": "deserialize",
    "when_loaded": "deserialize",
    "load_variable": "stores",
    "enable_unsafe_deserialization": "deserialize",
    "disable_unsafe_deserialization": "deserialize",
    "register_codec": "codecs",
    "register_class_resolver": "codecs",
    "register_internal_class": "codecs",
    "attribute_children": "saveables",
    "walk": "saveables",
    "save_model": "models",
    "load_model": "models",
    "save_weights": "weights",
    "load_weights": "weights",
    "get_file": "download",
    "Limits": "limits",
    "UnsafeFileError": "limits",
    "CorruptFileError": "limits",
    "UnknownObjectError": "lookup",
    "ConfigError": "deserialize",
    "MigrationWarning": "migrations",
    "KerasFileEditor": "editor",
    "inspect": "inspection",
    "verify": "inspection",
    "open_contents": "contents",
}
__all__ = [*sorted(_PLACES)]


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module 'ksave' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"ksave.{place}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
