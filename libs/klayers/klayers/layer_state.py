"""The state of a layer: variables, losses, and the layer as a pure function of them."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from klayers import tracking
from klayers.context import context
from kops import tree
from kops.scopes import StatelessScope, ambient
from kops.variable import Variable

# What a layer needs around its `call`, as bits of `_needs`; see klayers.layer.
TRAINING, COMPOSITE, ACTIVITY, SCHEME, LOSSES, HOOKS = 1, 2, 4, 8, 16, 32


def size_of(shape: Any) -> int:
    """Number of elements; unknown dimensions count as one."""
    size = 1
    for d in shape:
        size *= d or 1
    return size


class LayerState:
    """Mixin of `Layer`."""

    name: str
    built: bool
    _needs: int
    _trainable: bool
    _path: Any
    _losses: Any
    _last_call: int
    __call__: Any

    def _sublayers(self) -> list[Any]:
        return tracking.sublayers(self)

    def _native_members(self) -> Iterator[tuple[str, Any]]:
        return tracking.named_members(self)

    def _expect_hooks(self) -> None:
        self._needs |= HOOKS

    def _flatten_layers(self, include_self: bool = True, recursive: bool = True) -> list[Any]:
        if not recursive:
            return ([self] if include_self else []) + self._sublayers()
        return tracking.flatten_layers(self, include_self)

    def _collect(self, of: Any) -> list[Any]:
        found: dict[int, Any] = {}
        for layer in tracking.flatten_layers(self):
            for v in of(layer):
                found.setdefault(id(v), v)
        return list(found.values())

    @property
    def variables(self) -> list[Variable]:
        """All variables of the layer and its sublayers, seed states included, metrics' excluded."""
        return self._collect(lambda l: [*sum(tracking.own_variables(l), []), *tracking.seed_states(l)])

    @property
    def weights(self) -> list[Variable]:
        """As `variables` without the states of seed generators and of stateful recurrent layers."""
        return self._collect(lambda l: l._own_weights())

    def _own_weights(self) -> list[Variable]:
        return sum(tracking.own_variables(self), [])

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables to be trained; none when `trainable` is False."""
        return [v for v in self.variables if v.trainable] if self.trainable else []

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """All other variables."""
        return [v for v in self.variables if not v.trainable] if self.trainable else self.variables

    @property
    def trainable_weights(self) -> list[Variable]:
        return [v for v in self.weights if v.trainable] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Variable]:
        return [v for v in self.weights if not v.trainable] if self.trainable else self.weights

    @property
    def metrics(self) -> list[Any]:
        """Metrics held by the layer and its sublayers."""
        return self._collect(tracking.metrics)

    @property
    def metrics_variables(self) -> list[Variable]:
        return [v for m in self.metrics for v in m.variables]

    @property
    def trainable(self) -> bool:
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        value = bool(value)
        for layer in tracking.flatten_layers(self):
            layer.__dict__["_trainable"] = value
            for v in tracking.own_variables(layer)[0]:
                v.trainable = value

    @property
    def path(self) -> str | None:
        """The names of the enclosing layers and its own, joined by "/"; None before it is built."""
        return self._path

    def count_params(self) -> int:
        """Number of scalars in all weights.

        Raises:
            ValueError: when the layer is not built.
        """
        if not self.built:
            raise ValueError(
                f"{type(self).__name__} {self.name!r} has no weights to count before it is built. "
                "Call it on data or call build(input_shape) first."
            )
        return sum(size_of(v.shape) for v in self.weights)

    def get_weights(self) -> list[Any]:
        """The values of `weights` as NumPy arrays, copied: later training does not change them."""
        return [np.array(v.numpy()) for v in self.weights]

    def set_weights(self, weights: Any) -> None:
        """Assign values like those of `get_weights`.

        Raises:
            ValueError: for another number of arrays, or a shape that does not fit.
        """
        mine = self.weights
        if len(mine) != len(weights):
            raise ValueError(
                f"{type(self).__name__} {self.name!r} has {len(mine)} weights but set_weights got {len(weights)} "
                f"arrays. Expected shapes: {[tuple(v.shape) for v in mine]}."
            )
        for v, value in zip(mine, weights):
            shape = getattr(value, "shape", None)
            if shape is not None and tuple(shape) != tuple(v.shape):
                raise ValueError(
                    f"Weight {v.path!r} of {type(self).__name__} {self.name!r} has shape {tuple(v.shape)}, "
                    f"but the given array has shape {tuple(shape)}."
                )
        for v, value in zip(mine, weights):
            v.assign(value)

    def stateless_call(
        self,
        trainable_variables: Any,
        non_trainable_variables: Any,
        *args: Any,
        return_losses: bool = False,
        **kwargs: Any,
    ) -> Any:
        """The layer as a pure function of its state.

        Args:
            trainable_variables, non_trainable_variables: values in the order of the properties of these names.
            return_losses: whether the losses come along.

        Returns:
            `(outputs, non_trainable_variables)`, and the losses as a third with `return_losses`.
        """
        if not self.built:
            raise ValueError(
                f"stateless_call needs a built layer; call {self.name!r} on data or build(input_shape) it first."
            )
        mapping: list[tuple[Any, Any]] = []
        for what, mine, given in (
            ("trainable_variables", self.trainable_variables, trainable_variables),
            ("non_trainable_variables", self.non_trainable_variables, non_trainable_variables),
        ):
            given = list(given)
            if len(mine) != len(given):
                raise ValueError(f"{self.name!r} has {len(mine)} {what}, but {len(given)} values were given.")
            mapping.extend(zip(mine, given))
        with StatelessScope(mapping, collect_losses=return_losses) as scope:
            outputs = self(*args, **kwargs)
            losses = self.losses if return_losses else None
        updated = []
        for v, given in zip(self.non_trainable_variables, non_trainable_variables):
            current = scope.get_current_value(v)
            updated.append(given if current is None else current)
        return (outputs, updated, losses) if return_losses else (outputs, updated)

    # Losses

    def add_loss(self, loss: Any) -> None:
        """Add scalar losses that `call` computed to those of the model."""
        values = tree.flatten(loss)
        for value in values:
            if not hasattr(value, "dtype") and not isinstance(value, (int, float)):
                raise ValueError(
                    f"add_loss takes scalar tensors, not {type(value).__name__}: {value!r}. "
                    "Call it with a computed loss inside call()."
                )
        self._needs |= LOSSES
        if ambient.stateless is not None:
            if ambient.stateless.collect_losses:
                for value in values:
                    ambient.stateless.add_loss(value)
            return
        call_id = context.call_id
        kept = self._losses[1] if self._losses[0] == call_id else []
        self._losses = (call_id, [*kept, *values])

    @property
    def losses(self) -> list[Any]:
        """Losses added in the last call, then weight penalties of the regularizers."""
        if ambient.stateless is not None and ambient.stateless.collect_losses:
            added = list(ambient.stateless.losses)
        else:
            added = [
                x
                for layer in tracking.flatten_layers(self)
                if layer._losses[0] == self._last_call or layer is self
                for x in layer._losses[1]
            ]
        penalties = [v.regularizer(v) for v in self.trainable_weights if v.regularizer is not None]
        return added + penalties

    def _clear_losses(self) -> None:
        for layer in tracking.flatten_layers(self):
            layer._losses = (0, [])

    def add_metric(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "add_metric() does not exist in Keras 3. Make a Metric in __init__ and call its update_state() in call()."
        )
