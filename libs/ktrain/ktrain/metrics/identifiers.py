"""`get`, `serialize` and `deserialize` of metrics."""

from __future__ import annotations

from typing import Any

from kops.naming import to_snake_case
from ksave import serialize_keras_object
from kspec import public
from ktrain import lookup

ALIASES = {
    "acc": "Accuracy",
    "accuracy": "Accuracy",
    "mse": "MeanSquaredError",
    "rmse": "RootMeanSquaredError",
    "mae": "MeanAbsoluteError",
    "mape": "MeanAbsolutePercentageError",
    "msle": "MeanSquaredLogarithmicError",
    "bce": "BinaryCrossentropy",
    "kld": "KLDivergence",
    "logcosh": "LogCoshError",
    "log_cosh": "LogCoshError",
    "cosine_similarity": "CosineSimilarity",
    "auc": "AUC",
}


def _aliases() -> dict[str, str]:
    """Snake-case names stand for the classes: they accumulate, the functions do not."""
    classes = [name for name in lookup.names_in("keras.metrics") if name[0].isupper()]
    snakes = {to_snake_case(name): name for name in classes}
    return {**snakes, **{snake.replace("io_u", "iou"): name for snake, name in snakes.items()}, **ALIASES}


@public("keras.metrics.get")
def get(identifier: Any) -> Any:
    """The metric that `identifier` means.

    Args:
        identifier: a name ("mse", "mean_squared_error", "MeanSquaredError"), a config, a class, an object or a
            function. None gives None.

    Raises:
        ValueError: for an unknown name; the message has the nearest ones.
    """
    return lookup.get("metric", "keras.metrics", identifier, _aliases())


@public("keras.metrics.serialize")
def serialize(metric: Any) -> Any:
    """The config of a metric object, or the record of a function."""
    return serialize_keras_object(metric)


@public("keras.metrics.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The metric of a config or name."""
    return lookup.from_config("metric", "keras.metrics", config, _aliases(), custom_objects)
