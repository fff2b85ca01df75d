"""The ambient state of a thread: what variables read as, where graphs are recorded, which names nest.

All of it lives in one thread-local object, `ambient`, so that the hot paths look in one place.
"""

from __future__ import annotations

import threading
from typing import Any

from kops import dtypes
from kspec import public


class _Ambient(threading.local):
    stateless: StatelessScope | None = None
    autocast: str | None = None  # float variables read as this dtype
    redirected: bool = False  # whether one of these two is set: variables do not simply read as they are
    symbolic: bool = False  # inside SymbolicScope: nothing has values
    recording: bool = True  # symbolic calls leave nodes
    names: tuple[str, ...] = ()
    name_counts: tuple[dict[str, int], ...] = ()
    remat: tuple[Any, ...] = ()
    placement: Any = None  # kdistribute's, by the Placement protocol


ambient = _Ambient()


class _Scope:
    """Sets one field of `ambient` while it is entered; re-entrant."""

    _field = ""
    _held: Any = None  # what it is inside

    def __enter__(self) -> Any:
        self.__dict__.setdefault("_saved", []).append(getattr(ambient, self._field))
        setattr(ambient, self._field, self._value())
        ambient.redirected = ambient.stateless is not None or ambient.autocast is not None
        return self

    def __exit__(self, *exc: Any) -> None:
        setattr(ambient, self._field, self.__dict__["_saved"].pop())
        ambient.redirected = ambient.stateless is not None or ambient.autocast is not None

    def _value(self) -> Any:
        return self._held


@public("keras.StatelessScope")
class StatelessScope(_Scope):
    """Within it variables read from and write to a mapping, not to themselves.

    This makes a stateful model a pure function: state goes in as `state_mapping`, and the state after the
    computation is asked for with `get_current_value`.

    Args:
        state_mapping: pairs `(variable, value)`; values have the variable's shape and are cast to its dtype.
        collect_losses: whether `add_loss` of layers lands in `self.losses`.
        initialize_variables: whether a variable created within is initialized when the outermost scope ends.

    Example:
        >>> v = Variable(1.0)
        >>> with StatelessScope([(v, ops.convert_to_tensor(5.0))]) as scope:
        ...     v.assign_add(1.0)
        >>> float(scope.get_current_value(v)), float(v)
        (6.0, 1.0)
    """

    _field = "stateless"

    def __init__(
        self, state_mapping: Any = None, collect_losses: bool = False, initialize_variables: bool = True
    ) -> None:
        from kops.variable import Variable

        self.collect_losses = collect_losses
        self.initialize_variables = initialize_variables
        self.losses: list[Any] = []
        self.state_mapping: dict[int, Any] = {}
        self._kept: list[Any] = []  # ids stay valid while the variables are alive
        for variable, value in state_mapping or ():
            if not isinstance(variable, Variable):
                raise ValueError(f"A key of state_mapping must be a Variable, not {type(variable).__name__}.")
            shape = getattr(value, "shape", None)
            if shape is not None and tuple(shape) != tuple(variable.shape):
                raise ValueError(
                    f"The value for variable {variable.path!r} must have shape {variable.shape}, not {tuple(shape)}."
                )
            self.add_update((variable, value))

    def _value(self) -> StatelessScope:
        return self

    def __exit__(self, *exc: Any) -> None:
        super().__exit__(*exc)
        if ambient.stateless is None and self.initialize_variables:
            from kops.variable import initialize_deferred

            initialize_deferred()

    def add_loss(self, loss: Any) -> None:
        """Collect a loss that a layer adds."""
        self.losses.append(loss)

    def add_update(self, update: tuple[Any, Any]) -> None:
        """Record that a variable has a new value: `update` is `(variable, value)`."""
        variable, value = update
        if id(variable) not in self.state_mapping:
            self._kept.append(variable)
        self.state_mapping[id(variable)] = value

    def get_current_value(self, variable: Any) -> Any:
        """The variable's value in this scope, or None if it was neither given nor assigned."""
        return self.state_mapping.get(id(variable))


@public("keras.SymbolicScope")
class SymbolicScope(_Scope):
    """Within it computations have shapes and dtypes only, no values."""

    _field = "symbolic"
    _held = True


class NoRecording(_Scope):
    """Within it symbolic calls return specs and leave no node behind (shape inference)."""

    _field = "recording"
    _held = False


class AutocastScope(_Scope):
    """Within it float variables with `autocast` read as `dtype` (None: as they are)."""

    _field = "autocast"

    def __init__(self, dtype: Any) -> None:
        if dtype is not None:
            dtype = dtypes.standardize_dtype(dtype)
            if not dtypes.is_float_dtype(dtype):
                raise ValueError(f"AutocastScope takes a float dtype or None, not {dtype!r}.")
        self._held = self.dtype = dtype


@public("keras.name_scope")
class name_scope:
    """Prefix the paths of variables made within it by `name/`.

    Args:
        name: one component, without "/".
        caller: who opens the scope; with `deduplicate`, a second scope of the same name opened by another caller
            becomes `name_1`.
        deduplicate: see `caller`.
        override_parent: start the path here instead of below the enclosing scope.
    """

    def __init__(
        self, name: str, caller: Any = None, deduplicate: bool = True, override_parent: str | None = None
    ) -> None:
        if not isinstance(name, str) or "/" in name:
            raise ValueError(f"The name of a scope is a string without '/', not {name!r}.")
        self.name = name
        self.caller = caller
        self.deduplicate = deduplicate
        self.override_parent = override_parent
        self._saved: list[tuple[Any, Any]] = []

    def __enter__(self) -> name_scope:
        self._saved.append((ambient.names, ambient.name_counts))
        parent = ambient.names
        if self.override_parent is not None:
            parent = tuple(self.override_parent.split("/")) if self.override_parent else ()
        name = self.name
        if self.deduplicate and self.caller is not None and ambient.name_counts:
            seen = ambient.name_counts[-1]
            key = (name, id(self.caller))
            number = seen.get(key)  # type: ignore[call-overload]
            if number is None:
                number = seen.get(name, 0)
                seen[name] = number + 1
                seen[key] = number  # type: ignore[index]
            if number:
                name = f"{name}_{number}"
        ambient.names = (*parent, name)
        ambient.name_counts = (*ambient.name_counts, {})
        return self

    def __exit__(self, *exc: Any) -> None:
        ambient.names, ambient.name_counts = self._saved.pop()


def current_path() -> str:
    """The path of the open name scopes, "" outside of any."""
    return "/".join(ambient.names)


@public("keras.device")
def device(device_name: str) -> Any:
    """A scope in which tensors and variables are made on `device_name`, for example "cpu:0" or "gpu:1"."""
    from kops.engine import engine

    if not isinstance(device_name, str):
        raise ValueError(f"device takes a name like 'cpu:0' or 'gpu:1', not {device_name!r}.")
    return engine().device_scope(device_name)


def clear_ambient() -> None:
    """Forget scopes that an exception left open; part of `clear_session`."""
    ambient.__dict__.clear()
