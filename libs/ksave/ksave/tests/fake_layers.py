"""The smallest layers and models that fulfil the protocol; only for this library's own tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from ksave.deserialize import claim_variable, deserialize_keras_object
from ksave.registry import register_keras_serializable
from ksave.serialize import serialize_keras_object


class Variable:
    """A named array with `assign`."""

    def __init__(self, value: Any, name: str) -> None:
        self.value = np.asarray(value)
        self.name = name

    shape = property(lambda self: self.value.shape)
    dtype = property(lambda self: self.value.dtype)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.value if dtype is None else self.value.astype(dtype)

    def assign(self, value: Any) -> None:
        if np.shape(value) != self.shape:
            raise ValueError(f"{self.name} has shape {self.shape}, not {np.shape(value)}")
        self.value = np.asarray(value)


class Base:
    """Variables in a list, stored by number."""

    built = True

    def __init__(self, name: str | None = None) -> None:
        self.name = name or type(self).__name__.lower()
        self._own: list[Variable] = []

    trainable_weights = property(lambda self: self._own)
    non_trainable_weights = property(lambda self: [])

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)

    def save_own_variables(self, store: Any) -> None:
        for index, variable in enumerate(self._own):
            store[str(index)] = variable

    def load_own_variables(self, store: Any) -> None:
        if len(store) != len(self._own):
            raise ValueError(f"{self.name} has {len(self._own)} variables, the file {len(store)}")
        for index, variable in enumerate(self._own):
            variable.assign(store[str(index)])


@register_keras_serializable("fake")
class Dense(Base):
    def __init__(self, units: int, name: str | None = None, act: Any = None, like: Any = None) -> None:
        super().__init__(name)
        self.units = units
        self.act = act
        self.like = like

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "units": self.units, "act": serialize_keras_object(self.act)}
        return {**config, "like": self.like}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Dense:
        made = {key: deserialize_keras_object(config[key]) for key in ("act", "like")}
        return cls(**{**config, **made})

    def build(self, inputs: int) -> None:
        claim_variable((inputs, self.units), 4)
        rng = np.random.default_rng(self.units)
        self._inputs = inputs
        self._own = [
            Variable(rng.normal(size=(inputs, self.units)).astype("float32"), "kernel"),
            Variable(np.zeros(self.units, "float32"), "bias"),
        ]

    def get_build_config(self) -> dict[str, Any] | None:
        return {"input_shape": [None, self._inputs]} if self._own else None

    def build_from_config(self, config: dict[str, Any]) -> None:
        self.build(config["input_shape"][-1])


@register_keras_serializable("fake")
class Vocabulary(Base):
    words: tuple[str, ...] = ()

    def save_assets(self, folder: str) -> None:
        with open(f"{folder}/words.txt", "w", encoding="utf-8") as file:
            file.write("\n".join(self.words))

    def load_assets(self, folder: str) -> None:
        with open(f"{folder}/words.txt", encoding="utf-8") as file:
            self.words = tuple(file.read().split("\n"))


@register_keras_serializable("fake")
class Adam(Base):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._own = [Variable(np.int64(0), "iteration")]


@register_keras_serializable("fake")
class Chain(Base):
    """A model: layers one after the other, and an optimizer once compiled."""

    optimizer: Any = None

    def __init__(self, layers: list[Any], name: str | None = None) -> None:
        super().__init__(name)
        self.layers = layers

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "layers": self.layers}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Chain:
        return cls([deserialize_keras_object(layer) for layer in config["layers"]], config["name"])

    def compile(self, optimizer: Any) -> None:
        self.optimizer = optimizer

    def get_compile_config(self) -> dict[str, Any] | None:
        return {"optimizer": self.optimizer} if self.optimizer else None

    def compile_from_config(self, config: dict[str, Any]) -> None:
        self.compile(deserialize_keras_object(config["optimizer"]))


def small_model(units: tuple[int, ...] = (3, 2)) -> Chain:
    """A compiled chain of built Dense layers with a vocabulary behind them."""
    layers: list[Any] = []
    inputs = 4
    for count in units:
        layer = Dense(count, name=f"dense_of_{count}", act=abs_plus_one)
        layer.build(inputs)
        layers.append(layer)
        inputs = count
    vocabulary = Vocabulary()
    vocabulary.words = ("où", "là")
    model = Chain([*layers, vocabulary], name="small")
    model.compile(Adam())
    model.optimizer._own[0].value = np.asarray(7)
    return model


@register_keras_serializable("fake")
def abs_plus_one(x: Any) -> Any:
    return abs(x) + 1


def arrays(model: Any) -> list[Any]:
    """All arrays of a model in the order of the walk."""
    from ksave.saveables import walk

    return [np.asarray(variable) for _, node in walk(model) for variable in node._own]
