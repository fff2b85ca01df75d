"""`get`, `serialize` and `deserialize` of losses."""

from __future__ import annotations

from typing import Any

from ksave import serialize_keras_object
from kspec import public
from ktrain import lookup

ALIASES = {
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_logarithmic_error",
    "bce": "binary_crossentropy",
    "cce": "categorical_crossentropy",
    "scce": "sparse_categorical_crossentropy",
    "kld": "kl_divergence",
    "logcosh": "log_cosh",
    "huber_loss": "huber",
    "kullback_leibler_divergence": "kl_divergence",
}


@public("keras.losses.get")
def get(identifier: Any) -> Any:
    """The loss that `identifier` means.

    Args:
        identifier: a name ("mse", "mean_squared_error": the function; "MeanSquaredError": an object), a config,
            a class, an object or a function. None gives None.

    Raises:
        ValueError: for an unknown name; the message has the nearest ones.
    """
    return lookup.get("loss", "keras.losses", identifier, ALIASES)


@public("keras.losses.serialize")
def serialize(loss: Any) -> Any:
    """The config of a loss object, or the record of a function."""
    return serialize_keras_object(loss)


@public("keras.losses.deserialize")
def deserialize(name: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The loss of a config or name."""
    return lookup.from_config("loss", "keras.losses", name, ALIASES, custom_objects)
