"""`Variable`: named, mutable state that an engine can train."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

import kops
from kops.config import settings
from kops.dtypes import is_float_dtype, standardize_dtype
from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.naming import auto_name
from kops.operators import Operators
from kops.scopes import ambient, current_path
from kops.shapes import Shape, agree, standardize_shape
from kspec import public

AGGREGATIONS = ("none", "mean", "sum", "only_first_replica")
SYNCHRONIZATIONS = ("none", "on_read", "on_write", "auto")

_deferred: list[Variable] = []
_deferred_lock = threading.Lock()


def initialize_deferred() -> None:
    """Give their values to variables that were created inside a StatelessScope."""
    with _deferred_lock:
        waiting, _deferred[:] = list(_deferred), []
    for variable in waiting:
        variable._initialize_now()


@public("keras.Variable")
class Variable(Operators):
    """A tensor that can be assigned, saved and trained.

    Args:
        initializer: the first value, or a callable `(shape, dtype=...)` that makes it, or an initializer's name.
        shape: needed with a callable.
        dtype: dtype name; default that of the value, or `floatx`.
        trainable: whether gradients are wanted.
        autocast: whether the variable reads as the compute dtype inside a layer with mixed precision.
        aggregation: how replicas' values combine: "none", "mean", "sum" or "only_first_replica".
        synchronization: "auto", "none", "on_read" or "on_write"; for tf.distribute.
        name: last component of its path.
        layout: where its shards live (see kdistribute); default from the active distribution.

    Example:
        >>> v = Variable([1.0, 2.0], name="v")
        >>> v.assign_add([1.0, 1.0]); v.numpy()
        array([2., 3.], dtype=float32)
    """

    def __init__(
        self,
        initializer: Any,
        shape: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        aggregation: str = "none",
        synchronization: str = "auto",
        name: str | None = None,
        layout: Any = None,
        **kwargs: Any,
    ) -> None:
        deferred = kwargs.pop("deferred", False)  # the initializer runs in `initialize`, unless a value comes before
        if kwargs:
            raise TypeError(f"Variable got unknown arguments: {', '.join(kwargs)}.")
        name = name or auto_name(type(self).__name__)
        if not isinstance(name, str) or "/" in name:
            raise ValueError(f"The name of a variable is a string without '/', not {name!r}.")
        if aggregation not in AGGREGATIONS:
            raise ValueError(f"aggregation must be one of {', '.join(AGGREGATIONS)}, not {aggregation!r}.")
        if synchronization not in SYNCHRONIZATIONS:
            raise ValueError(f"synchronization must be one of {', '.join(SYNCHRONIZATIONS)}, not {synchronization!r}.")
        self._name = name
        parent = current_path()
        self._path = f"{parent}/{name}" if parent else name
        self._trainable = bool(trainable)
        # Freezing a layer later does not move its variables to another place in files.
        self.trainable_at_creation = bool(trainable)
        self._autocast = bool(autocast)
        self._aggregation = aggregation
        self._synchronization = synchronization
        self._layout = layout
        self._regularizer: Any = None
        self._constraint: Any = None
        self._overwrite_with_gradient = False
        self._initializer: Any = None
        self._native: Any = None
        if isinstance(initializer, str):
            from kspec import resolve

            initializer = resolve("keras.initializers.get")(initializer)
        if callable(initializer) and not hasattr(initializer, "dtype"):
            if shape is None:
                raise ValueError(
                    f"Variable {name!r} gets its value from a callable and so needs a shape. "
                    "Pass shape=..., or the value itself."
                )
            self._shape: Shape = standardize_shape(shape)
            self._dtype = standardize_dtype(dtype)
            self._initializer = initializer
            if ambient.stateless is not None:
                with _deferred_lock:
                    _deferred.append(self)
            elif not deferred:
                self._initialize_now()
        else:
            if isinstance(initializer, (KerasTensor, Variable)):
                if isinstance(initializer, KerasTensor):
                    raise initializer._no_value("the value of a variable")
                initializer = initializer.value
            e = engine()
            value = e.convert(initializer, None if dtype is None else standardize_dtype(dtype))
            if shape is not None and standardize_shape(shape) != tuple(e.shape(value)):
                raise ValueError(
                    f"Variable {name!r} was given shape {standardize_shape(shape)} but a value of shape "
                    f"{tuple(e.shape(value))}."
                )
            self._dtype = e.dtype_name(value)
            self._shape = tuple(e.shape(value))
            self._create(value)

    def initialize(self) -> None:
        """Run the initializer if the variable has no value yet."""
        if self._native is None:
            self._initialize_now()

    def _initialize_now(self) -> None:
        value = self._initializer(self._shape, dtype=self._dtype)
        self._create(engine().convert(value, self._dtype))
        self._initializer = None

    _reads_itself = settings.backend != "tensorflow"  # elsewhere the native variable is a tensor

    def _create(self, value: Any) -> None:
        if ambient.placement is not None:
            if self._layout is None:
                self._layout = ambient.placement.variable_layout(self._path, self._shape)
            if self._layout is not None:
                value = ambient.placement.place_variable(value, self._layout)
        self._native = engine().make_variable(value, self._trainable, self._path)

    # Reading

    @property
    def value(self) -> Any:
        """The native tensor: what a StatelessScope says, or the variable's own; autocast applies."""
        if not ambient.redirected and self._native is not None:
            return self._native if self._reads_itself else engine().read_variable(self._native)
        held = self._uncast()
        target = ambient.autocast
        if target is not None and target != self._dtype and self._autocast and is_float_dtype(self._dtype):
            return engine().cast(held, target)
        return held

    def _own_value(self) -> Any:
        if self._native is None:
            # Created in a StatelessScope, or deferred: computations need a value of this shape already now.
            return engine().convert(self._initializer(self._shape, dtype=self._dtype), self._dtype)
        return engine().read_variable(self._native)

    @property
    def native(self) -> Any:
        """The engine's own variable object (torch.nn.Parameter, tf.Variable, jax.Array, ...)."""
        return self._native

    def numpy(self) -> np.ndarray:
        """The value as a NumPy array."""
        return np.asarray(self)

    @property
    def dtype(self) -> str:
        """The dtype as which the variable currently reads."""
        if ambient.redirected:
            target = ambient.autocast
            if target is not None and self._autocast and is_float_dtype(self._dtype):
                return target
        return self._dtype

    @property
    def shape(self) -> Shape:
        return self._shape

    @property
    def ndim(self) -> int:
        return len(self._shape)

    # Writing

    def assign(self, value: Any) -> Any:
        """Set the value; it must have the variable's shape and is cast to its dtype. Returns the new value."""
        e = engine()
        if isinstance(value, Variable):
            value = value.value
        value = e.convert(value, self._dtype)
        shape = tuple(e.shape(value))
        if shape != self._shape and not agree(shape, self._shape):
            raise ValueError(
                f"Variable {self._path!r} has shape {self._shape} and cannot be assigned a value of shape {shape}."
            )
        if ambient.stateless is not None:
            ambient.stateless.add_update((self, value))
        elif self._native is None:
            self._initializer = None
            self._create(value)
        else:
            if self._layout is not None and ambient.placement is not None:
                value = ambient.placement.place_variable(value, self._layout)
            self._native = e.assign_variable(self._native, value)
        return value

    def take(self, array: np.ndarray) -> None:
        """`assign` an array that nobody else uses any more: its memory may become the variable's own."""
        plain = isinstance(array, np.ndarray) and array.shape == self._shape and array.dtype.name == self._dtype
        if not plain or ambient.stateless is not None or ambient.placement is not None:
            self.assign(array)
        else:
            self._initializer = None
            self._native = engine().own_variable(self._native, array, self._trainable, self._path)

    def memory(self) -> np.ndarray | None:
        """An array over the variable's own memory, which a file can be read into; None where there is none."""
        if self._native is None or ambient.stateless is not None or ambient.placement is not None:
            return None
        return getattr(engine(), "variable_memory", lambda native: None)(self._native)

    def assign_add(self, value: Any) -> Any:
        """`assign(self + value)`."""

        return self.assign(kops.add(self._uncast(), value))

    def assign_sub(self, value: Any) -> Any:
        """`assign(self - value)`."""

        return self.assign(kops.subtract(self._uncast(), value))

    def _uncast(self) -> Any:
        if ambient.stateless is not None:
            held = ambient.stateless.state_mapping.get(id(self))
            if held is not None:
                return held
        return self._own_value()

    # What it is

    @property
    def name(self) -> str:
        return self._name

    @property
    def path(self) -> str:
        """The names of the enclosing scopes and its own, joined by "/"."""
        return self._path

    @property
    def trainable(self) -> bool:
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = bool(value)
        if hasattr(self._native, "requires_grad_") and is_float_dtype(self._dtype):
            self._native.requires_grad_(self._trainable)

    @property
    def aggregation(self) -> str:
        return self._aggregation

    @property
    def synchronization(self) -> str:
        return self._synchronization

    @property
    def overwrite_with_gradient(self) -> bool:
        """Whether the optimizer stores the "gradient" as the value (scales of float8 training)."""
        return self._overwrite_with_gradient

    @overwrite_with_gradient.setter
    def overwrite_with_gradient(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"overwrite_with_gradient is a bool, not {value!r}.")
        self._overwrite_with_gradient = value

    @property
    def regularizer(self) -> Any:
        return self._regularizer

    @regularizer.setter
    def regularizer(self, value: Any) -> None:
        if value is not None and not callable(value):
            raise ValueError(f"A regularizer is a callable or None, not {value!r}.")
        self._regularizer = value

    @property
    def constraint(self) -> Any:
        return self._constraint

    @constraint.setter
    def constraint(self, value: Any) -> None:
        if value is not None and not callable(value):
            raise ValueError(f"A constraint is a callable or None, not {value!r}.")
        self._constraint = value

    if settings.backend == "tensorflow":

        @property
        def handle(self) -> Any:
            """The resource handle of the tf.Variable."""
            return self._native.handle

    def __repr__(self) -> str:
        text = f"<Variable path={self._path}, shape={self._shape}, dtype={self._dtype}"
        if self._native is None or ambient.stateless is not None or ambient.symbolic:
            return text + ">"
        return text + f", value={engine().to_numpy(self.value)}>"

    # Conversions

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        array = engine().to_numpy(self.value)
        return array.astype(dtype) if dtype is not None and array.dtype != dtype else array

    def __bool__(self) -> bool:
        return bool(self.numpy())

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __pos__(self) -> Any:
        return self.value

    if settings.backend == "jax":

        def __jax_array__(self) -> Any:
            return self.value

    if settings.backend == "tensorflow":

        def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
            value = self.value
            return value if dtype is None else engine().cast(value, standardize_dtype(dtype))

    if settings.backend == "torch":

        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            def unwrap(x: Any) -> Any:
                if isinstance(x, Variable):
                    return x.value
                return type(x)(map(unwrap, x)) if type(x) in (list, tuple) else x

            return func(*unwrap(list(args)), **{k: unwrap(v) for k, v in (kwargs or {}).items()})
