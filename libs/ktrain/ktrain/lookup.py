"""From a name, a config, a class or an object to an object: what `get` of losses, metrics and optimizers shares."""

from __future__ import annotations

import difflib
from typing import Any

import kspec
from ksave import deserialize_keras_object, get_registered_object


def names_in(namespace: str) -> list[str]:
    """The public names of a namespace, without what is below it."""
    prefix = namespace + "."
    hidden = {"get", "serialize", "deserialize"}
    names = (name[len(prefix) :] for name in kspec.known_names() if name.startswith(prefix))
    return sorted(name for name in names if "." not in name and name not in hidden)


def by_name(
    kind: str, namespace: str, name: str, aliases: dict[str, str], custom_objects: dict[str, Any] | None = None
) -> Any:
    """The class or function that a string means.

    Raises:
        ValueError: for an unknown name; the message has the nearest ones.
    """
    registered = get_registered_object(name, custom_objects)
    if registered is not None:
        return registered
    known = names_in(namespace)
    found = aliases.get(name) or aliases.get(name.lower(), name)
    if found in known:
        return kspec.resolve(f"{namespace}.{found}")
    near = difflib.get_close_matches(name, [*known, *aliases], n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise ValueError(
        f"Unknown {kind} {name!r}.{hint} Give a name of {namespace}, an object of its classes, a function, or "
        "register your own with @keras.saving.register_keras_serializable()."
    )


def from_config(
    kind: str, namespace: str, config: Any, aliases: dict[str, str], custom_objects: dict[str, Any] | None = None
) -> Any:
    """The object of a record or a name."""
    if isinstance(config, str):
        found = by_name(kind, namespace, config, aliases, custom_objects)
        return found() if isinstance(found, type) else found
    return deserialize_keras_object(config, custom_objects=custom_objects, namespaces=(namespace,))


def get(kind: str, namespace: str, identifier: Any, aliases: dict[str, str]) -> Any:
    """The object that `identifier` means: a name, a record, a class, or an object or function itself."""
    if identifier is None:
        return None
    if isinstance(identifier, (str, dict)):
        return from_config(kind, namespace, identifier, aliases)
    if isinstance(identifier, type):
        return identifier()
    if callable(identifier):
        return identifier
    raise ValueError(
        f"A {kind} is a name, a config, an object of {namespace} or a function, not {identifier!r} of type "
        f"{type(identifier).__name__}."
    )
