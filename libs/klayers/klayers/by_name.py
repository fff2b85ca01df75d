"""Objects that arguments may name by a string, a config, a class or an instance: `ByName` is the lookup of
one kind.
"""

from __future__ import annotations

import difflib
import inspect
import re
from typing import Any

from ksave import deserialize_keras_object, serialize_keras_object


def snake_case(name: str) -> str:
    """`GlorotUniform` as `glorot_uniform`."""
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


class ByName:
    """The classes of one kind, found by class name, by snake_case name and by further names.

    Args:
        kind: what errors call an object of the kind, as "initializer".
        namespace: the public namespace of the classes.
        classes: the classes.
        **others: further names.
    """

    def __init__(self, kind: str, namespace: str, classes: tuple[type, ...], **others: type) -> None:
        self.kind = kind
        self.namespace = namespace
        self.classes = {cls.__name__: cls for cls in classes}
        self.names = {**{snake_case(name): cls for name, cls in self.classes.items()}, **self.classes, **others}

    def serialize(self, obj: Any) -> Any:
        """The plain data from which `deserialize` makes the object again."""
        return serialize_keras_object(obj)

    def deserialize(self, config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
        """The object of a config; a name that the user gave a meaning is resolved too."""
        return deserialize_keras_object(
            config, custom_objects=custom_objects, module_objects=self.names, namespaces=(self.namespace,)
        )

    def get(self, identifier: Any) -> Any:
        """The object that an argument means; None stays None.

        Raises:
            ValueError: when it means none.
        """
        if identifier is None:
            return None
        found = identifier
        if isinstance(identifier, dict):
            found = self.deserialize(identifier)
        elif isinstance(identifier, str):
            found = self.deserialize(identifier)  # what the user registered or handed in comes first
            if isinstance(found, str):
                found = self.names.get(identifier)
        if inspect.isclass(found):
            found = found()
        if callable(found):
            return found
        raise ValueError(self.unknown(identifier))

    def unknown(self, identifier: Any) -> str:
        """The words for an identifier that means nothing."""
        near = difflib.get_close_matches(str(identifier), self.names, n=3) if isinstance(identifier, str) else []
        hint = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
        article = "an" if self.kind[0] in "aeiou" else "a"
        return (
            f"{identifier!r} is not {article} {self.kind}. {hint}"
            f"Give one of the names {', '.join(sorted(self.classes))} (or their snake_case forms), an "
            f"instance or class of {self.namespace}, a config made by serialize(), any callable, or None."
        )
