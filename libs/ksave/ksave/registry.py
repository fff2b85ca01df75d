"""Custom objects: which names in a file mean which classes and functions of the user."""

from __future__ import annotations

import inspect
from typing import Any, Callable, TypeVar

from ksave import context
from kspec import public

T = TypeVar("T")

_objects: dict[str, Any] = {}
_names: dict[Any, str] = {}


@public(
    "keras.utils.CustomObjectScope",
    "keras.saving.CustomObjectScope",
    "keras.utils.custom_object_scope",
    "keras.saving.custom_object_scope",
)
class CustomObjectScope:
    """Makes custom classes and functions known by name inside a `with` block.

    Args:
        custom_objects: dictionary from the name that stands in a config to the class or function.

    Example:
        >>> with CustomObjectScope({"Twice": Twice}):
        ...     layer = deserialize_keras_object(config)
    """

    def __init__(self, custom_objects: dict[str, Any] | None) -> None:
        self.custom_objects = dict(custom_objects or {})
        self._tokens: list[Any] = []

    def __enter__(self) -> CustomObjectScope:
        scopes = context.custom_scopes.get()
        self._tokens.append(context.custom_scopes.set((self.custom_objects, *scopes)))
        return self

    def __exit__(self, *args: Any) -> None:
        context.custom_scopes.reset(self._tokens.pop())


custom_object_scope = CustomObjectScope


@public("keras.utils.get_custom_objects", "keras.saving.get_custom_objects")
def get_custom_objects() -> dict[str, Any]:
    """The dictionary of all registered custom objects, from registered name to object.

    It is the registry itself: what is put in is known from then on.

    Example:
        >>> get_custom_objects()["Twice"] = Twice
    """
    return _objects


@public("keras.utils.register_keras_serializable", "keras.saving.register_keras_serializable")
def register_keras_serializable(package: str = "Custom", name: str | None = None) -> Callable[[T], T]:
    """Register the decorated class or function so that files can name it.

    Args:
        package: the first half of the registered name.
        name: the second half; the object's `__name__` by default.

    Raises:
        ValueError: when a class has no `get_config` method, so that it could not be saved.

    Example:
        >>> @register_keras_serializable("shop")
        ... class Twice(keras.layers.Layer): ...
        >>> get_registered_name(Twice)
        'shop>Twice'
    """

    def register(obj: T) -> T:
        key = f"{package}>{name or obj.__name__}"  # type: ignore[attr-defined]
        if inspect.isclass(obj) and not hasattr(obj, "get_config"):
            raise ValueError(
                f"Cannot register {key!r}: the class has no get_config() method. "
                "Give it one that returns its constructor arguments as a dictionary."
            )
        _objects[key] = obj
        _names[obj] = key
        return obj

    return register


@public("keras.utils.get_registered_name", "keras.saving.get_registered_name")
def get_registered_name(obj: Any) -> str:
    """The name under which a class or function was registered, or else its `__name__`."""
    return _names[obj] if obj in _names else getattr(obj, "__name__", "")


@public("keras.utils.get_registered_object", "keras.saving.get_registered_object")
def get_registered_object(
    name: str, custom_objects: dict[str, Any] | None = None, module_objects: dict[str, Any] | None = None
) -> Any:
    """The class or function that a registered name means.

    Looked up in the open scopes (innermost first), the registry, `custom_objects`, `module_objects`.

    Returns:
        The object, or None when the name is unknown.
    """
    for known in (*context.custom_scopes.get(), _objects, custom_objects or {}, module_objects or {}):
        if name in known:
            return known[name]
    return None


def registered_as(obj: Any) -> str | None:
    """The registered name of exactly this object, or None."""
    return _names.get(obj)
