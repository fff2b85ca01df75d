"""`Metric`: the base class of all metrics."""

from __future__ import annotations

from typing import Any

import kops as ops
from kops.dtypes import itemsize, standardize_dtype
from kops.naming import auto_name
from kops.scopes import StatelessScope, name_scope
from kops.shapes import standardize_shape
from kops.variable import Variable
from ksave import claim_variable
from kspec import public, resolve
from ktrain.losses.loss import compute_dtype_of


@public("keras.Metric", "keras.metrics.Metric")
class Metric:
    """Base class: accumulates numbers in variables over batches and computes a result from them.

    Implement `update_state` and `result`; make variables in `__init__` with `add_variable`.

    Args:
        dtype: of the state; default `floatx`.
        name: default the class's name.

    Example:
        >>> class Positives(keras.metrics.Metric):
        ...     def __init__(self, name="positives", **kwargs):
        ...         super().__init__(name=name, **kwargs)
        ...         self.count = self.add_variable((), "zeros", name="count")
        ...     def update_state(self, y_true, y_pred, sample_weight=None):
        ...         self.count.assign_add(keras.ops.sum(y_true))
        ...     def result(self):
        ...         return self.count
    """

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self.name = name or auto_name(type(self).__name__)
        self._dtype = compute_dtype_of(dtype)
        self._variables: list[Variable] = []
        self._parts: list[Metric] = []

    @property
    def dtype(self) -> str:
        """The dtype of the state."""
        return self._dtype

    @property
    def variables(self) -> list[Variable]:
        """The state: this metric's variables and those of metrics it holds."""
        return [*self._variables, *(v for part in self._parts for v in part.variables)]

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Metric) and "_parts" in self.__dict__ and value is not self.__dict__.get(name):
            self._parts.append(value)
        object.__setattr__(self, name, value)

    def add_variable(
        self, shape: Any, initializer: Any, dtype: Any = None, aggregation: str = "sum", name: str | None = None
    ) -> Variable:
        """Make a variable of the state.

        Args:
            shape: its shape.
            initializer: a name, or a callable `(shape, dtype)`.
            dtype: default the metric's.
            aggregation: how replicas combine.
            name: last component of its path.
        """
        claim_variable(standardize_shape(shape), itemsize(standardize_dtype(dtype or self._dtype)))
        with name_scope(self.name.replace("/", ">"), caller=self):
            variable = Variable(
                _initializer(initializer), shape=shape, dtype=dtype or self._dtype, trainable=False,
                aggregation=aggregation, name=name,
            )  # fmt: skip
        self._variables.append(variable)
        return variable

    def add_weight(
        self, shape: Any = (), initializer: Any = None, dtype: Any = None, name: str | None = None
    ) -> Variable:
        """`add_variable` with a scalar of zeros as default."""
        return self.add_variable(shape, initializer or "zeros", dtype, name=name)

    def update_state(self, *args: Any, **kwargs: Any) -> None:
        """Accumulate one batch; to be implemented."""
        raise NotImplementedError(f"{type(self).__name__} must implement update_state(...).")

    def result(self) -> Any:
        """The metric's value, or a dictionary of values; to be implemented."""
        raise NotImplementedError(f"{type(self).__name__} must implement result().")

    def reset_state(self) -> None:
        """Set all of the state to zero."""
        for variable in self.variables:
            variable.assign(ops.zeros(variable.shape, dtype=variable.dtype))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """`update_state`, then `result`."""
        self.update_state(*args, **kwargs)
        return self.result()

    # Pure functions of the state

    def _scope(self, metric_variables: Any) -> StatelessScope:
        own = self.variables
        if len(metric_variables) != len(own):
            raise ValueError(
                f"{self.name} has {len(own)} variables ({', '.join(v.path for v in own)}), "
                f"but {len(metric_variables)} values were given."
            )
        return StatelessScope(state_mapping=list(zip(own, metric_variables)))

    def stateless_update_state(self, metric_variables: Any, *args: Any, **kwargs: Any) -> list[Any]:
        """The state after `update_state(*args)`, given the state before."""
        with self._scope(metric_variables) as scope:
            self.update_state(*args, **kwargs)
        return [scope.get_current_value(v) for v in self.variables]

    def stateless_result(self, metric_variables: Any) -> Any:
        """The result for a given state."""
        with self._scope(metric_variables):
            return self.result()

    def stateless_reset_state(self) -> list[Any]:
        """The state after `reset_state`."""
        with StatelessScope() as scope:
            self.reset_state()
        return [v.value if (held := scope.get_current_value(v)) is None else held for v in self.variables]

    def get_config(self) -> dict[str, Any]:
        """The constructor arguments."""
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A metric from what `get_config` returned."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def _initializer(initializer: Any) -> Any:
    if initializer == "zeros":
        return lambda shape, dtype=None: ops.zeros(shape, dtype=dtype)
    if initializer == "ones":
        return lambda shape, dtype=None: ops.ones(shape, dtype=dtype)
    return resolve("keras.initializers.get")(initializer)
