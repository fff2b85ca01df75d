"""Different optimizers for different variables."""

from __future__ import annotations

import re
from typing import Any, Iterator

from ksave import deserialize_keras_object, serialize_keras_object
from kspec import public
from ktrain.optimizers.optimizer import Optimizer


@public("keras.optimizers.OptimizerMap")
class OptimizerMap:
    """Which optimizer updates which variable: the first whose regular expression is found in the variable's path.

    Args:
        default_optimizer: for variables that no expression fits.
        optimizer_map: regular expressions to optimizers.

    Example:
        >>> chosen = OptimizerMap(SGD(0.1))
        >>> chosen["embedding"] = Adam(0.01)
    """

    def __init__(self, default_optimizer: Any, optimizer_map: dict[str, Any] | None = None) -> None:
        _check(default_optimizer)
        self._default = default_optimizer
        self._map: dict[str, Any] = {}
        for pattern, optimizer in (optimizer_map or {}).items():
            self[pattern] = optimizer

    @property
    def default_optimizer(self) -> Any:
        """The optimizer of variables that no expression fits."""
        return self._default

    def __getitem__(self, key: str) -> Any:
        return self._map[key]

    def __setitem__(self, key: str, optimizer: Any) -> None:
        if key in self._map:
            raise ValueError(f"{key!r} has an optimizer already; delete it first.")
        _check(optimizer)
        self._map[key] = optimizer

    def __delitem__(self, key: str) -> None:
        del self._map[key]

    def __len__(self) -> int:
        return len(self._map)

    def __iter__(self) -> Iterator[str]:
        return iter(self._map)

    def __call__(self, variable: Any) -> Any:
        """The optimizer of a variable."""
        for pattern, optimizer in self._map.items():
            if re.search(pattern, variable.path):
                return optimizer
        return self._default

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments."""
        return {
            "default_optimizer": serialize_keras_object(self._default),
            "optimizer_map": {key: serialize_keras_object(value) for key, value in self._map.items()},
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
        """A map from what `get_config` returned."""
        make = lambda value: deserialize_keras_object(value, custom_objects=custom_objects)
        return cls(make(config["default_optimizer"]), {k: make(v) for k, v in config["optimizer_map"].items()})


def _check(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise ValueError(f"An Optimizer is needed, not {optimizer!r}.")


@public("keras.optimizers.MultiOptimizer")
class MultiOptimizer(Optimizer):
    """Hands each variable to the optimizer that an `OptimizerMap` (or a function of the variable) names.

    Args:
        optimizer_map: an `OptimizerMap`.
        loss_scale_factor: the loss is multiplied and the gradients divided by it.
        name: default the class's name.
    """

    def __init__(self, optimizer_map: Any, loss_scale_factor: float | None = None, name: str | None = None) -> None:
        if not isinstance(optimizer_map, OptimizerMap):
            raise TypeError(f"optimizer_map is an OptimizerMap, not {optimizer_map!r}.")
        super().__init__(learning_rate=0.0, loss_scale_factor=loss_scale_factor, name=name)
        self.optimizer_map = optimizer_map

    @property
    def optimizers(self) -> list[Any]:
        """The optimizers, those of the expressions first."""
        listed = [*(self.optimizer_map[key] for key in self.optimizer_map), self.optimizer_map.default_optimizer]
        return list({id(o): o for o in listed}.values())

    def build(self, var_list: Any) -> None:
        """Build each optimizer with its variables."""
        if self.built:
            return
        variables = list(var_list)
        for optimizer in self.optimizers:
            optimizer.build([v for v in variables if self.optimizer_map(v) is optimizer])
        self._trainable_variables = variables
        self._places = {id(v): i for i, v in enumerate(variables)}
        self.built = True

    @property
    def variables(self) -> list[Any]:
        """Its own variables, then those of each optimizer."""
        return [*self._variables, *(v for optimizer in self.optimizers for v in optimizer.variables)]

    @property
    def iterations(self) -> Any:
        """How many updates were made."""
        return self._iterations

    @property
    def learning_rate(self) -> Any:
        """That of the default optimizer."""
        return self.optimizer_map.default_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        raise ValueError("Set the learning rates of the optimizers in optimizer_map one by one.")

    def _update(self, grads: list[Any], variables: list[Any]) -> None:
        for optimizer in self.optimizers:
            mine = [(g, v) for g, v in zip(grads, variables) if self.optimizer_map(v) is optimizer]
            if mine:
                optimizer.apply([g for g, _ in mine], [v for _, v in mine])

    def finalize_variable_values(self, var_list: Any) -> None:
        """That of each optimizer."""
        for optimizer in self.optimizers:
            optimizer.finalize_variable_values([v for v in var_list if self.optimizer_map(v) is optimizer])

    def get_config(self) -> dict[str, Any]:
        return {
            "optimizer_map": serialize_keras_object(self.optimizer_map),
            "loss_scale_factor": self.loss_scale_factor,
            "name": self.name,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
        chosen = deserialize_keras_object(config["optimizer_map"], custom_objects=custom_objects)
        return cls(**{**config, "optimizer_map": chosen})
