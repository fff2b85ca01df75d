"""From a public name to the object, importing just the module that holds it.

Each library carries a generated `_public.py` with two plain dictionaries, `NAMES` and `PLUGINS`
(name -> "module:attribute"). Our own libraries are found beside this one on the path; others
advertise theirs with an entry point of the group `keras.public`. The tables are read without
importing the libraries. They are also the allow-list of deserialization: a name that stands in
none of them cannot be reached from a file.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import os
import runpy
from typing import Any

# Floors, lowest first. Where two libraries name the same thing (`keras.Model`), the higher wins:
# the trainable class when ktrain is installed, the inference class otherwise.
LIBRARIES = ("kops", "ksave", "klayers", "kdistribute", "kquant", "kexport", "kapps", "ktrain")

# Which library brings plug-ins of a kind, for the error that says what to install.
_BRINGS = {"quantization": "kquant", "export": "kexport", "placement": "kdistribute"}


class UnknownName(LookupError):
    """A dotted name that no installed library declares as public."""


class PluginMissing(ImportError):
    """A plug-in that no installed library offers."""


@functools.cache
def _tables() -> tuple[dict[str, str], dict[str, str]]:
    names: dict[str, str] = {}
    plugins: dict[str, str] = {}
    for library in LIBRARIES:
        spec = importlib.util.find_spec(library)
        if spec is None or not spec.submodule_search_locations:
            continue
        for folder in spec.submodule_search_locations:
            path = os.path.join(folder, "_public.py")
            if os.path.exists(path):
                table = runpy.run_path(path)
                names.update(table["NAMES"])
                plugins.update(table.get("PLUGINS", {}))
    for entry in _entry_points("keras.public"):
        library = entry.value.split(".")[0]
        if library not in LIBRARIES:
            module = entry.load()
            # A third party adds names; it does not take ours.
            names = {**module.NAMES, **names}
            plugins = {**getattr(module, "PLUGINS", {}), **plugins}
    return names, plugins


def _entry_points(group: str) -> Any:
    # Loaded here: it weighs several times this library, and most programs never ask.
    from importlib import metadata

    try:
        return metadata.entry_points(group=group)
    except TypeError:  # Python 3.9 returns a dictionary of all groups
        return metadata.entry_points().get(group, ())  # type: ignore[attr-defined]


def known_names() -> dict[str, str]:
    """Every public name of the installed libraries, with the place of its object."""
    return dict(_tables()[0])


def known_plugins(kind: str) -> list[str]:
    """The names of the installed plug-ins of one kind, sorted."""
    prefix = kind + "."
    return sorted(key[len(prefix) :] for key in _tables()[1] if key.startswith(prefix))


def resolve(name: str) -> Any:
    """Return the object with a public name.

    Args:
        name: for example `"keras.layers.Dense"`.

    Raises:
        UnknownName: when no installed library declares it; the message has the nearest names.

    Example:
        >>> resolve("keras.ops.add")(1, 2)
    """
    names = _tables()[0]
    place = names.get(name)
    if place is None:
        near = difflib.get_close_matches(name, names, n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UnknownName(f"No installed library declares {name!r}.{hint}")
    return _load(place)


def find_plugin(kind: str, name: str) -> Any:
    """Return the plug-in that an installed library offers under `kind` and `name`.

    Raises:
        PluginMissing: when there is none; the message says what to install.
    """
    place = _tables()[1].get(f"{kind}.{name}")
    if place is not None:
        return _load(place)
    have = known_plugins(kind)
    if have:
        raise PluginMissing(f"No {kind} plug-in named {name!r}. Installed: {', '.join(have)}.")
    raise PluginMissing(
        f"No {kind} plug-in named {name!r} is installed. "
        f"Bring it with: pip install {_BRINGS.get(kind, f'<a library that offers {kind}>')}"
    )


def _load(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)
