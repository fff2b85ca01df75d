"""Layers as plain data, and back."""

from __future__ import annotations

from typing import Any

from klayers.layer import Layer
from ksave import deserialize_keras_object, serialize_keras_object
from kspec import public


@public("keras.layers.serialize")
def serialize(layer: Layer) -> dict[str, Any]:
    """The record of a layer: its class and its `get_config()`, not its weights.

    Example:
        >>> keras.layers.deserialize(keras.layers.serialize(keras.layers.Dense(3)))
        <Dense name=dense, built=False>
    """
    return serialize_keras_object(layer)


@public("keras.layers.deserialize")
def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Layer:
    """The layer of a record, without weights.

    Args:
        config: what `serialize` gave.
        custom_objects: names in the record to classes and functions.

    Raises:
        ValueError: the record is of something else than a layer.
    """
    made = deserialize_keras_object(config, custom_objects=custom_objects, namespaces=("keras.layers",))
    if not isinstance(made, Layer):
        raise ValueError(f"The record is of no layer: it gives {made!r} of class {type(made).__name__}.")
    return made
