"""The contract that the Keras libraries share: public names, how to find them, and protocols.

It depends on nothing, so every other library can. See `public`, `resolve` and `protocols`.
"""

from __future__ import annotations

from kspec.names import plugin, public, public_name, public_names
from kspec.resolver import LIBRARIES, PluginMissing, UnknownName, find_plugin, known_names, known_plugins, resolve

__version__ = "0.1.0"

__all__ = [
    "LIBRARIES",
    "PluginMissing",
    "UnknownName",
    "find_plugin",
    "known_names",
    "known_plugins",
    "plugin",
    "public",
    "public_name",
    "public_names",
    "resolve",
]
