"""Initializers by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from klayers.by_name import ByName
from klayers.initializers import draw
from klayers.initializers.base import Initializer, to_native
from klayers.initializers.constant import STFT, Constant, Identity, Ones, Zeros
from klayers.initializers.random_values import Orthogonal, RandomNormal, RandomUniform, TruncatedNormal
from klayers.initializers.variance_scaling import (
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    LecunNormal,
    LecunUniform,
    VarianceScaling,
)
from kops.engine import engine
from kops.variable import Variable
from kspec import public

_INITIALIZERS = ByName(
    "initializer",
    "keras.initializers",
    (
        Initializer,
        Constant,
        Identity,
        Ones,
        STFT,
        Zeros,
        Orthogonal,
        RandomNormal,
        RandomUniform,
        TruncatedNormal,
        GlorotNormal,
        GlorotUniform,
        HeNormal,
        HeUniform,
        LecunNormal,
        LecunUniform,
        VarianceScaling,
    ),  # fmt: skip
    IdentityInitializer=Identity,
    OrthogonalInitializer=Orthogonal,
    STFTInitializer=STFT,
    uniform=RandomUniform,
    normal=RandomNormal,
    one=Ones,
    zero=Zeros,
)


@public("keras.initializers.serialize")
def serialize(initializer: Any) -> Any:
    """An initializer as plain data."""
    return _INITIALIZERS.serialize(initializer)


@public("keras.initializers.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """An initializer from plain data."""
    return _INITIALIZERS.deserialize(config, custom_objects)


@public("keras.initializers.get")
def get(identifier: Any) -> Any:
    """An initializer from its name, config, class, a value, or itself; None stays None.

    Args:
        identifier: also an array or tensor, which becomes the first value of a variable of its shape.

    Raises:
        ValueError: when the identifier means none.

    Example:
        >>> get("he_normal").scale
        2.0
    """
    if isinstance(identifier, (np.ndarray, Variable)) or (
        identifier is not None
        and not isinstance(identifier, (str, dict, int, float, Initializer))
        and not callable(identifier)
        and engine().is_tensor(identifier)
    ):
        return _given(identifier)
    return _INITIALIZERS.get(identifier)


def _given(value: Any) -> Any:
    def initialize(shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        wanted = draw.sizes(shape)
        if wanted != tuple(value.shape):
            raise ValueError(
                f"The value given as an initializer has shape {tuple(value.shape)}, the variable {wanted}."
            )
        return to_native(value.value if isinstance(value, Variable) else value, dtype)

    return initialize
