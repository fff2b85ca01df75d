"""`get`, `serialize` and `deserialize` of optimizers."""

from __future__ import annotations

from typing import Any

from ksave import serialize_keras_object
from kspec import public
from ktrain import lookup
from ktrain.optimizers.optimizer import Optimizer


def _aliases() -> dict[str, str]:
    """Optimizers are found whatever the case of their names."""
    return {name.lower(): name for name in lookup.names_in("keras.optimizers") if name != "Optimizer"}


@public("keras.optimizers.get")
def get(identifier: Any) -> Any:
    """The optimizer that `identifier` means.

    Args:
        identifier: a name in any case ("adam", "RMSprop"), a config, a class or an object. None gives None.

    Raises:
        ValueError: for an unknown name; the message has the nearest ones.
    """
    if identifier is None or isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if isinstance(identifier, type) and issubclass(identifier, Optimizer):
        return identifier()  # type: ignore[call-arg]  # only the base class has no default learning rate
    raise ValueError(
        f"An optimizer is a name, a config or an object of keras.optimizers, not {identifier!r} of type "
        f"{type(identifier).__name__}."
    )


@public("keras.optimizers.serialize")
def serialize(optimizer: Any) -> Any:
    """The config of an optimizer."""
    return serialize_keras_object(optimizer)


@public("keras.optimizers.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The optimizer of a config or name."""
    if isinstance(config, dict) and str(config.get("class_name", "")).lower() in _aliases():
        config = {**config, "class_name": _aliases()[config["class_name"].lower()]}
    return lookup.from_config("optimizer", "keras.optimizers", config, _aliases(), custom_objects)
