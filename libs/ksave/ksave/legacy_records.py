"""The older form of records, `{"class_name", "config"}` without modules, and bare names of functions."""

from __future__ import annotations

from typing import Any

from ksave.deserialize import Loader, in_safe_mode
from ksave.registry import get_registered_name
from kspec import public


@public("keras.utils.legacy.serialize_keras_object", "keras.legacy.saving.serialize_keras_object")
def serialize_keras_object(instance: Any) -> Any:
    """The older record of an object, or the name of a function.

    Raises:
        ValueError: the object has neither `get_config()` nor a name.
    """
    if instance is None:
        return None
    if hasattr(instance, "get_config"):
        return {"class_name": get_registered_name(type(instance)), "config": instance.get_config()}
    if hasattr(instance, "__name__"):
        return get_registered_name(instance)
    raise ValueError(f"Cannot write {instance!r}: it has no get_config() method and no name.")


@public("keras.utils.legacy.deserialize_keras_object", "keras.legacy.saving.deserialize_keras_object")
def deserialize_keras_object(
    identifier: Any,
    module_objects: dict[str, Any] | None = None,
    custom_objects: dict[str, Any] | None = None,
    printable_module_name: str = "object",
) -> Any:
    """Make the object of an older record, or find a function or class by its name.

    Args:
        identifier: a record, a name, or the object itself (given back as it is).
        module_objects: the names that may be meant.
        custom_objects: names of the user, which come first.
        printable_module_name: what the objects are called in errors.

    Raises:
        ValueError: the name is unknown, or it is no record.
    """
    if identifier is None or callable(identifier):
        return identifier
    known = module_objects or {}
    loader = Loader(custom_objects=dict(custom_objects or {}), safe_mode=in_safe_mode(), module_objects=known)
    if isinstance(identifier, str):
        found = loader.custom(identifier)
        found = known.get(identifier) if found is None else found
        if found is None:
            raise ValueError(_unknown(printable_module_name, identifier))
        return found() if isinstance(found, type) else found
    if not isinstance(identifier, dict):
        raise ValueError(f"Cannot make an object of {identifier!r}; a record or a name is needed.")
    if "class_name" not in identifier or "config" not in identifier:
        raise ValueError(f"A record has 'class_name' and 'config'; this one is {identifier}.")
    name = identifier["class_name"]
    if loader.custom(name) is None and name not in known:
        raise ValueError(_unknown(printable_module_name, name))
    return loader.deserialize(identifier)


def _unknown(kind: str, name: str) -> str:
    return (
        f"Unknown {kind}: {name!r}. Use it inside keras.utils.custom_object_scope({{{name!r}: ...}}), "
        "or register it with @keras.saving.register_keras_serializable()."
    )
