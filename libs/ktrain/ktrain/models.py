"""The trainable models: `Model`, `Sequential` and what `Model(inputs, outputs)` gives."""

from __future__ import annotations

import klayers.functional
import klayers.model
import klayers.sequential
import ksave
from kspec import plugin, public
from ktrain.trainer import Trainer


@public("keras.Model", "keras.models.Model")
class Model(Trainer, klayers.model.Model):  # type: ignore[misc]  # Trainer's `predict` replaces the other one
    """Layers grouped into an object that can be trained, saved and run on data.

    Three ways to make one: `Model(inputs, outputs)` from symbolic tensors, a list of layers (`Sequential`), or a
    subclass that makes its layers in `__init__` and uses them in `call`.

    Args:
        inputs, outputs: symbolic tensors, or structures of them (functional models only).
        trainable, dtype, name: as for layers.

    Example:
        >>> x = keras.Input((3,))
        >>> model = Model(x, keras.layers.Dense(1)(x))
        >>> model.compile("adam", "mse")
        >>> history = model.fit(np.zeros((8, 3)), np.zeros((8, 1)), verbose=0)
    """

    _plain_model = True

    @classmethod
    def _functional_class(cls) -> type:
        return Functional


class Functional(Model, klayers.functional.Functional):  # type: ignore[misc]  # as for Model
    """See `Model`; made by `Model(inputs, outputs)`."""


@public("keras.Sequential", "keras.models.Sequential")
class Sequential(Model, klayers.sequential.Sequential):  # type: ignore[misc]  # as for Model
    """A plain stack of layers.

    Args:
        layers: layers in order; more come with `add`. The first may be an `Input`.
        trainable, name: as for layers.

    Example:
        >>> model = Sequential([keras.layers.Dense(1)])
        >>> model.compile("adam", "mse")
    """


@plugin("serialization", "ktrain")
def register() -> None:
    """Let files that name functional models load trainable ones; called after the libraries below have registered."""
    ksave.register_internal_class("keras.src.models.functional", "Functional", Functional)


register()
